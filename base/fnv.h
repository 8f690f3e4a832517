// The hash function FNV-1a of 64 bits (Fowler, Noll and Vo, http://www.isthe.com/chongo/tech/comp/fnv/): a short name
// for a text, the same on every machine. Not for what an attacker chooses.
#pragma once

#include <cstdint>
#include <string_view>

namespace quarto {

inline constexpr std::uint64_t kFnvBasis = 0xCBF29CE484222325ULL;

// `before`: the hash of what comes before the text.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t before = kFnvBasis) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  return before;
}

}  // namespace quarto
