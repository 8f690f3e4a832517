// What follows four placements, as counts: the fourth level of the pairs network's input (docs/networks.md).
//
// A player places p on s and gives q; the receiver places q on z and gives r; the player places r on w and gives t; the
// receiver places t on x and gives again. The player wins with w and t if t wins nowhere and, whatever x is, every
// piece that is left then wins somewhere. An answer z *holds* if the receiver has a piece r to give that neither wins
// at once nor leaves the player such a w. All of it follows from the rules; no value of a position enters.
#pragma once

#include <array>
#include <cstdint>

#include "light/pairs_input.h"
#include "light/pairs_layout.h"
#include "light/third_placement.h"

namespace quarto::light {

// For the pairs that ThirdPlacement counts and every piece q that is safe to give after it, the number of answers z
// that hold.
class FourthPlacement {
 public:
  // The pieces q of a pair; empty if the pair has no counts.
  static Mask given(const PairsInput& in, int pair) {
    const bool counted = in.n >= kFewestFourthSquares && in.n <= kMostFourthSquares;
    return counted ? ThirdPlacement::given(in, pair) : Mask{0};
  }

  // The number of answers that hold; defined for the pieces q of given() after count().
  int holding(int pair, int q) const { return holding_[static_cast<std::size_t>(pair)][static_cast<std::size_t>(q)]; }

  // Calls each(table, row) for each table row that a pair with counts adds up; `table` is a Table.
  template <class F>
  void for_each_row(const PairsInput& in, int pair, const F& each) const {
    const Mask pieces = given(in, pair);
    if (!pieces) return;
    int least = kFourthCounts - 1, none = 0;
    for (const int q : BitsOf(pieces)) {
      const int holds = holding(pair, q);
      each(kFourthHolding, holds);
      least = holds < least ? holds : least;
      none += holds == 0;
    }
    each(kFourthLeast, least);
    each(kFourthNone, none);
  }

  // `in` is of a position that is not terminal.
  void count(const PairsInput& in);

 private:
  template <int N>
  void count_on(const PairsInput& in);

  std::array<std::array<std::uint8_t, kPieces>, std::size_t{kMostFourthSquares} * kMostFourthSquares> holding_;
};

}  // namespace quarto::light
