// Lines, and the masks that answer "which squares complete one?" without looping over squares.
//
//        a  b  c  d
//     1  0  1  2  3      A set of squares is 16 bits, one per square in this order. Four such sets, one per
//     2  4  5  6  7      attribute, lie side by side in one 64-bit word (Bitboards: attribute i is bits 16i ..
//     3  8  9 10 11      16i+15), so that one pass of shifts and ands serves all four attributes.
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

using Bitboards = std::uint64_t;

// The same 16-bit set four times.
constexpr Bitboards broadcast(Mask m) { return static_cast<Bitboards>(m) * 0x0001'0001'0001'0001ULL; }
constexpr Mask bitboard(Bitboards b, int attribute) { return static_cast<Mask>(b >> (16 * attribute)); }
constexpr Mask union_of(Bitboards b) {
  b |= b >> 32;
  return static_cast<Mask>(b | (b >> 16));
}
// Bitboard i is full where bit i of `bits` is set, empty elsewhere.
constexpr Bitboards spread(unsigned bits) {
  Bitboards b = 0;
  for (int i = 0; i < kAttributes; ++i) {
    if ((bits >> i) & 1U) b |= 0xFFFFULL << (16 * i);
  }
  return b;
}
inline constexpr std::array<Bitboards, kPieces> kSpread = [] {
  std::array<Bitboards, kPieces> table{};
  for (unsigned p = 0; p < kPieces; ++p) table[p] = spread(p);
  return table;
}();

// For each bitboard, the squares whose three companions on some line are all in its set. Whether the square itself is
// in the set does not matter: and with the empty squares for threats, with the set for finished lines.
// Every rotation below moves each square of a line to the next one on that line.
constexpr Bitboards completing(Bitboards x, Rules rules) {
  constexpr Bitboards kDown = broadcast(0x8421), kUp = broadcast(0x1248);
  const Bitboards r1 = ((x >> 1) & broadcast(0x7777)) | ((x << 3) & broadcast(0x8888));
  const Bitboards r2 = ((x >> 2) & broadcast(0x3333)) | ((x << 2) & broadcast(0xCCCC));
  const Bitboards r3 = ((x >> 3) & broadcast(0x1111)) | ((x << 1) & broadcast(0xEEEE));
  const Bitboards c1 = ((x >> 4) & broadcast(0x0FFF)) | ((x << 12) & broadcast(0xF000));
  const Bitboards c2 = ((x >> 8) & broadcast(0x00FF)) | ((x << 8) & broadcast(0xFF00));
  const Bitboards c3 = ((x >> 12) & broadcast(0x000F)) | ((x << 4) & broadcast(0xFFF0));
  // Bits that a diagonal's shift carries into a neighbouring bitboard never land on the diagonal, so one mask does.
  const Bitboards d = x & kDown, u = x & kUp;
  const Bitboards down = ((d >> 5) | (d << 15)) & ((d >> 10) | (d << 10)) & ((d >> 15) | (d << 5)) & kDown;
  const Bitboards up = ((u >> 3) | (u << 9)) & ((u >> 6) | (u << 6)) & ((u >> 9) | (u << 3)) & kUp;
  Bitboards found = (r1 & r2 & r3) | (c1 & c2 & c3) | down | up;
  if (rules == Rules::squares) {
    const Bitboards east = (x >> 1) & broadcast(0x7777), west = (x << 1) & broadcast(0xEEEE);
    const auto south = [](Bitboards b) { return (b >> 4) & broadcast(0x0FFF); };
    const auto north = [](Bitboards b) { return (b << 4) & broadcast(0xFFF0); };
    found |= (east & south(x) & south(east)) | (west & south(x) & south(west)) | (east & north(x) & north(east)) |
             (west & north(x) & north(west));
  }
  return found;
}

// Former names, for code that has not followed yet.
using Lanes = Bitboards;
constexpr Mask lane(Bitboards b, int attribute) { return bitboard(b, attribute); }

}  // namespace quarto
