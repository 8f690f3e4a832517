// What follows three placements, as counts: the third level of the pairs network's input (docs/networks.md).
//
// A player places p on s and gives q; the receiver places q on z and gives r; r is placed on w. For each z after which
// the receiver can give without losing at once, m is the least number, over the pieces r that he can give so, of
// squares w after which some piece can be given without losing at once. If m is 0, the receiver wins with z and that r,
// or draws if w is the last square. All of it follows from the rules; no value of a position enters.
#pragma once

#include <array>
#include <cstdint>

#include "light/pairs_input.h"
#include "light/pairs_layout.h"

namespace quarto::light {

// For the pairs that the player to act can bring about (the piece in hand, or a piece that is safe to give, and any
// square), and every piece q that is safe to give after it, counts over the squares z.
class ThirdPlacement {
 public:
  struct Counts {
    std::uint8_t none;   // squares with m = 0
    std::uint8_t one;    // squares with m = 1
    std::uint8_t odd;    // squares with odd m
    std::uint8_t least;  // the least m; 7 if nothing is safe to give after any z
  };

  // The pieces q of a pair; empty if the pair has no counts.
  static Mask given(const PairsInput& in, int pair) {
    if (in.n > kMostThirdSquares) return 0;
    const int row = pair / in.n;
    const bool counted = in.placing ? row == in.hand : !in.loses[static_cast<std::size_t>(row)];
    return counted ? in.given[static_cast<std::size_t>(pair)] : Mask{0};
  }

  // Defined for the pieces q of given().
  Counts of(int pair, int q) const {
    const Packed& c = counts_[static_cast<std::size_t>(pair)];
    const int shift = 8 * row_of_[static_cast<std::size_t>(q)];
    const auto byte = [shift](std::uint64_t bytes) { return static_cast<std::uint8_t>(bytes >> shift); };
    return {byte(c.none), byte(c.one), byte(c.odd), byte(c.least)};
  }

  // Calls each(table, row) for each table row that a pair with counts adds up; `table` is a Table.
  template <class F>
  void for_each_row(const PairsInput& in, int pair, const F& each) const {
    for (const int q : BitsOf(given(in, pair))) {
      const Counts c = of(pair, q);
      each(kThirdNone, c.none);
      each(kThirdOne, c.one);
      each(kThirdOdd, c.odd);
      each(kThirdLeast, c.least);
    }
  }

  // `in` is of a position that is not terminal.
  void count(const PairsInput& in);

 private:
  // Counts of one pair: byte i is that of the piece q in row i.
  struct Packed {
    std::uint64_t none, one, odd, least;
  };
  std::array<Packed, std::size_t{kMostThirdSquares} * kMostThirdSquares> counts_;  // by pair
  std::array<std::uint8_t, kPieces> row_of_;                                       // by piece
};

}  // namespace quarto::light
