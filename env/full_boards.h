// Full boards without a quarto: of the 16! ways to fill the board, the drawn ones. Counted exactly, by meeting in the
// middle.
//
//     top      rows 1 and 2 hold a set of 8 pieces in some order     8! orders, half of them without a quarto in a row
//     bottom   rows 3 and 4 hold the other 8                         likewise
//
// What a half does to a winning set that crosses the middle is a byte: four bits "all its pieces in this half have this
// attribute" and four "none has". Lines: six bytes, for the columns and long diagonals; Rules::squares: three more, for
// the 2x2 squares of rows 2 and 3. A top and a bottom make a board without a quarto if and only if the bitwise and of
// their bytes is zero: one test for each pair. Three things make the pairs few: sets of 8 pieces that are images of
// each other under a piece symmetry have the same count (74 classes of 12,870 sets); halves with equal bytes are
// counted together; and of the tops, only the least of the images under the board symmetries that keep the halves apart
// (four, under Rules::squares two) is paired. 9e9 pairs are left, under Rules::squares 6e9.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "env/rules.h"

namespace quarto {

// The same under all rules. Sets of four pieces that share no attribute: 1,284 of 1,820.
std::vector<Mask> sets_without_quarto();
// Ways to part the sixteen pieces into four such sets. Times 24^5 (the order of the sets and within each), the full
// boards without a quarto in a *row*.
std::uint64_t partitions_without_quarto();

// Sets of 8 pieces up to piece symmetry: the smallest of each class, and how many are in it.
struct HalfClass {
  Mask pieces;
  int size;
};
std::vector<HalfClass> half_classes();

// The full boards without a quarto that have exactly these 8 pieces in rows 1 and 2.
std::uint64_t full_boards_with_top(Mask pieces, Rules rules = Rules::lines);

// All of them. `report(done, total)` is called now and then from the calling thread.
std::uint64_t full_boards_without_quarto(int threads = 1, const std::function<void(int, int)>& report = {},
                                         Rules rules = Rules::lines);

}  // namespace quarto
