// The random words of Position::key(): one for each piece on each square, for each piece in hand, for each rule set.
// Zobrist, "A new hashing method with application for game playing" (1970).
#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"
#include "env/rules.h"

namespace quarto::zobrist {

// By number, the same in every build.
constexpr std::uint64_t word(std::uint64_t n) { return mix_seed(0, n); }

inline constexpr auto kBoardKey = [] {
  std::array<std::array<std::uint64_t, kPieces>, kSquares> keys{};
  for (std::uint64_t i = 0; i < kSquares * kPieces; ++i) keys[i / kPieces][i % kPieces] = word(i);
  return keys;
}();
inline constexpr auto kHandKey = [] {
  std::array<std::uint64_t, kPieces> keys{};
  for (std::uint64_t p = 0; p < kPieces; ++p) keys[p] = word(kSquares * kPieces + p);
  return keys;
}();
inline constexpr auto kRulesKey = [] {
  std::array<std::uint64_t, kAllRules.size()> keys{};  // 0 for the first
  for (std::size_t i = 1; i < keys.size(); ++i) keys[i] = word(999 + i);
  return keys;
}();

}  // namespace quarto::zobrist
