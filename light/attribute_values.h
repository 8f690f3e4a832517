// Sets of attribute values, and the pieces that have none of them.
#pragma once

#include <array>
#include <cstdint>

#include "env/types.h"

namespace quarto::light {

inline constexpr int kAttributeValues = 2 * kAttributes;  // 2i: lacks attribute i; 2i + 1: has it

// The attribute values of a piece, one for each attribute.
constexpr std::array<std::uint8_t, kAttributes> attribute_values_of(int piece) {
  std::array<std::uint8_t, kAttributes> values{};
  for (int a = 0; a < kAttributes; ++a) {
    values[static_cast<std::size_t>(a)] = static_cast<std::uint8_t>(2 * a + ((piece >> a) & 1));
  }
  return values;
}
inline constexpr auto kAttributeValuesOf = [] {
  std::array<std::array<std::uint8_t, kAttributes>, kPieces> table{};
  for (int p = 0; p < kPieces; ++p) table[static_cast<std::size_t>(p)] = attribute_values_of(p);
  return table;
}();

// A set of attribute values: eight bits.
using AttributeValues = std::uint8_t;

inline constexpr auto kAttributeValueSetOf = [] {
  std::array<AttributeValues, kPieces> table{};
  for (std::size_t p = 0; p < kPieces; ++p) {
    for (const int c : kAttributeValuesOf[p]) table[p] = static_cast<AttributeValues>(table[p] | 1 << c);
  }
  return table;
}();

// For each set of attribute values, the pieces that have none of them.
inline constexpr auto kWithout = [] {
  std::array<Mask, 256> table{};
  for (std::size_t values = 0; values < table.size(); ++values) {
    for (std::size_t p = 0; p < kPieces; ++p) {
      if ((kAttributeValueSetOf[p] & values) == 0) table[values] = static_cast<Mask>(table[values] | 1U << p);
    }
  }
  return table;
}();

}  // namespace quarto::light
