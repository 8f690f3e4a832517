// The eight *attribute values*, four attributes times two polarities, and sets of them as bytes:
//
//     bit of the byte   0      1     2      3     4       5      6       7
//     attribute value   light  dark  short  tall  square  round  hollow  solid
#pragma once

#include <array>
#include <cstdint>

#include "env/types.h"

namespace quarto {

inline constexpr int kAttributeValues = 2 * kAttributes;  // 2i: lacks attribute i; 2i + 1: has it

// The attribute values of a piece, one for each attribute.
inline constexpr auto kAttributeValuesOf = [] {
  std::array<std::array<std::uint8_t, kAttributes>, kPieces> table{};
  for (unsigned p = 0; p < kPieces; ++p) {
    for (unsigned a = 0; a < kAttributes; ++a) table[p][a] = static_cast<std::uint8_t>(2 * a + ((p >> a) & 1U));
  }
  return table;
}();

// A set of attribute values: eight bits.
using AttributeValues = std::uint8_t;

// The attribute values of a piece, as a set.
inline constexpr auto kAttributeValueSetOf = [] {
  std::array<AttributeValues, kPieces> table{};
  for (std::size_t p = 0; p < kPieces; ++p) {
    for (const int c : kAttributeValuesOf[p]) table[p] = static_cast<AttributeValues>(table[p] | 1U << c);
  }
  return table;
}();
static_assert(kAttributeValueSetOf[0] == 0b01010101 && kAttributeValueSetOf[15] == 0b10101010);

// For each set of attribute values, the pieces that have at least one of them. 512 bytes.
inline constexpr auto kPiecesWithAny = [] {
  std::array<Mask, 256> table{};
  for (std::size_t values = 0; values < table.size(); ++values) {
    for (std::size_t p = 0; p < kPieces; ++p) {
      if ((kAttributeValueSetOf[p] & values) != 0) table[values] = static_cast<Mask>(table[values] | 1U << p);
    }
  }
  return table;
}();

// For each set of attribute values, the pieces that have none of them.
inline constexpr auto kPiecesWithout = [] {
  std::array<Mask, 256> table{};
  for (std::size_t values = 0; values < table.size(); ++values)
    table[values] = static_cast<Mask>(~kPiecesWithAny[values]);
  return table;
}();

}  // namespace quarto
