// Lines, and the masks that answer "which squares complete one?" without looping over squares.
//
//        a  b  c  d
//     1  0  1  2  3      A set of squares is 16 bits, one per square in this order. Four such sets, one per
//     2  4  5  6  7      attribute, are carried side by side in one 64-bit word ("lanes": attribute i is bits
//     3  8  9 10 11      16i .. 16i+15), so that one pass of shifts and ands serves all four attributes.
//     4 12 13 14 15
#pragma once

#include <array>
#include <vector>

#include "env/types.h"

namespace quarto {

inline constexpr int kLines = 10;        // four rows, four columns, two long diagonals
inline constexpr int kSmallSquares = 9;  // the 2x2 squares of Rules::squares

// Rows 1..4, columns a..d, the diagonal a1-d4, the diagonal d1-a4.
inline constexpr std::array<Mask, kLines> kLineMasks = {0x000F, 0x00F0, 0x0F00, 0xF000, 0x1111,
                                                        0x2222, 0x4444, 0x8888, 0x8421, 0x1248};
inline constexpr std::array<Mask, kSmallSquares> kSmallSquareMasks = {0x0033, 0x0066, 0x00CC, 0x0330, 0x0660,
                                                                      0x0CC0, 0x3300, 0x6600, 0xCC00};

// Every set of four squares that wins under the rules, lines first.
inline std::vector<Mask> winning_sets(Rules rules) {
  std::vector<Mask> sets(kLineMasks.begin(), kLineMasks.end());
  if (rules == Rules::squares) sets.insert(sets.end(), kSmallSquareMasks.begin(), kSmallSquareMasks.end());
  return sets;
}

using Lanes = std::uint64_t;

// The same 16-bit set in all four lanes.
constexpr Lanes broadcast(Mask m) { return static_cast<Lanes>(m) * 0x0001'0001'0001'0001ULL; }
constexpr Mask lane(Lanes l, int attribute) { return static_cast<Mask>(l >> (16 * attribute)); }
// The union of the four lanes.
constexpr Mask any_lane(Lanes l) {
  l |= l >> 32;
  return static_cast<Mask>(l | (l >> 16));
}
// All ones in lane i where bit i of `bits` is set, zero in the others.
constexpr Lanes spread(unsigned bits) {
  Lanes l = 0;
  for (int i = 0; i < kAttributes; ++i) {
    if ((bits >> i) & 1U) l |= 0xFFFFULL << (16 * i);
  }
  return l;
}
inline constexpr std::array<Lanes, kPieces> kSpread = [] {
  std::array<Lanes, kPieces> table{};
  for (unsigned p = 0; p < kPieces; ++p) table[p] = spread(p);
  return table;
}();

// For each lane, the squares whose three companions on some line are all in the lane's set. Whether the square
// itself is in the set does not matter: and with the empty squares for threats, with the set for finished lines.
// Every rotation below moves each square of a line to the next one on that line.
constexpr Lanes completing(Lanes x, Rules rules) {
  constexpr Lanes kDown = broadcast(0x8421), kUp = broadcast(0x1248);
  const Lanes r1 = ((x >> 1) & broadcast(0x7777)) | ((x << 3) & broadcast(0x8888));
  const Lanes r2 = ((x >> 2) & broadcast(0x3333)) | ((x << 2) & broadcast(0xCCCC));
  const Lanes r3 = ((x >> 3) & broadcast(0x1111)) | ((x << 1) & broadcast(0xEEEE));
  const Lanes c1 = ((x >> 4) & broadcast(0x0FFF)) | ((x << 12) & broadcast(0xF000));
  const Lanes c2 = ((x >> 8) & broadcast(0x00FF)) | ((x << 8) & broadcast(0xFF00));
  const Lanes c3 = ((x >> 12) & broadcast(0x000F)) | ((x << 4) & broadcast(0xFFF0));
  // Bits that a diagonal's shift carries into a neighbouring lane never land on the diagonal, so one mask does.
  const Lanes d = x & kDown, u = x & kUp;
  const Lanes down = ((d >> 5) | (d << 15)) & ((d >> 10) | (d << 10)) & ((d >> 15) | (d << 5)) & kDown;
  const Lanes up = ((u >> 3) | (u << 9)) & ((u >> 6) | (u << 6)) & ((u >> 9) | (u << 3)) & kUp;
  Lanes found = (r1 & r2 & r3) | (c1 & c2 & c3) | down | up;
  if (rules == Rules::squares) {
    const Lanes east = (x >> 1) & broadcast(0x7777), west = (x << 1) & broadcast(0xEEEE);
    const auto south = [](Lanes l) { return (l >> 4) & broadcast(0x0FFF); };
    const auto north = [](Lanes l) { return (l << 4) & broadcast(0xFFF0); };
    found |= (east & south(x) & south(east)) | (west & south(x) & south(west)) | (east & north(x) & north(east)) |
             (west & north(x) & north(west));
  }
  return found;
}

}  // namespace quarto
