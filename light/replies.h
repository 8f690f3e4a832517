// What follows two placements, as counts: the second level of the pairs network's input (docs/networks.md).
//
// A player places p on s and gives q; the receiver places q on z and gives again. N(p, s, q, z) is the number of pieces
// that the receiver can then give without losing at once:
//
//     danger  = OR(completes[c], c neither s nor z)
//             | OR(two[s][k], k != z) & own(p) | OR(two[z][k], k != s) & own(q) | three[s][z] & own(p) & own(q)
//     N       = number of pieces r left, neither p nor q, with own(r) & danger = 0
//
// own(p) are the attribute values of a piece; completes[c] those that complete a line whose only gap is c; two[s][z]
// those that are alive on a line with exactly these gaps; three[s][z] those on a line with exactly three gaps, two of
// them s and z. All of it follows from the rules; no value of a position enters.
#pragma once

#include <array>
#include <cstdint>

#include "light/pairs_input.h"
#include "light/pairs_layout.h"

namespace quarto::light {

// For every pair (p, s) and every piece q that is safe to give after it, counts over the squares z. Like PairsInput, a
// function of the position up to the order of rows and columns and the names of the pieces.
struct Replies {
  struct Counts {
    int safe;  // squares with N >= 1
    int odd;   // squares with odd N
    int one;   // squares with N = 1
  };

  // The pieces q of a pair: those of PairsInput::given, none on a board with more than kMostReplySquares empty squares.
  static Mask given(const PairsInput& in, int pair) {
    return in.n <= kMostReplySquares ? in.given[static_cast<std::size_t>(pair)] : Mask{0};
  }

  // Defined for the pieces q of given().
  Counts of(int pair, int q) const {
    const unsigned x = packed_[static_cast<std::size_t>(pair)][static_cast<std::size_t>(q)];
    return {static_cast<int>(x & 15), static_cast<int>(x >> 4 & 15), static_cast<int>(x >> 8)};
  }

  // Calls each(table, row) for each table row that a pair with replies adds up; `table` is a Table.
  template <class F>
  void for_each_row(const PairsInput& in, int pair, const F& each) const {
    const Mask pieces = given(in, pair);
    if (!pieces) return;
    int least = kReplyCounts - 1, none = 0;
    for (const int q : BitsOf(pieces)) {
      const Counts c = of(pair, q);
      each(kReplySafe, c.safe);
      each(kReplyOdd, c.odd);
      each(kReplyOne, c.one);
      least = c.safe < least ? c.safe : least;
      none += c.safe == 0;
    }
    each(kReplyLeast, least);
    each(kReplyNone, none);
  }

  // `in` is of a position that is not terminal.
  void count(const PairsInput& in);

 private:
  // By pair and q: bits 0..3 safe, 4..7 odd, 8..11 one.
  alignas(64) std::array<std::array<std::uint16_t, kPieces>, kPieces * kSquares> packed_;
};

}  // namespace quarto::light
