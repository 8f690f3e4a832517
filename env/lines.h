// Lines, and the masks that answer "which squares complete one?" without looping over squares.
//
//        a  b  c  d
//     1  0  1  2  3      A set of squares is 16 bits, one per square in this order. Four such sets, one per
//     2  4  5  6  7      attribute, lie side by side in one 64-bit word (Bitboards: attribute i is bits 16i ..
//     3  8  9 10 11      16i+15), so that one pass of shifts and ands serves all four attributes.
//     4 12 13 14 15
#pragma once

#include <array>

#include "env/rules.h"

namespace quarto {

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

namespace detail {

// `completing` for any sets, one at a time.
constexpr Bitboards completing_in(std::span<const Mask> sets, Bitboards x) {
  constexpr Bitboards kFirst = broadcast(1);
  Bitboards found = 0;
  for (const Mask set : sets) {
    for (const int s : BitsOf(set)) {
      Bitboards others = kFirst;
      for (const int t : BitsOf(static_cast<Mask>(set & ~(1U << s)))) others &= x >> t;
      found |= others << s;
    }
  }
  return found;
}

}  // namespace detail

// For each bitboard, the squares whose three companions in some winning set are all in its set. Whether the square
// itself is in the set does not matter: and with the empty squares for threats, with the set for finished lines. Every
// rotation below moves each square of a line to the next one on that line.
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
  if constexpr (kRuleSets.size() > 2) {  // those without shifts of their own
    if (rules > Rules::squares) found |= detail::completing_in(rule_set(rules).more_sets(), x);
  }
  return found;
}

}  // namespace quarto
