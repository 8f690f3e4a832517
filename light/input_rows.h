// The definition of the input of the pairs network (docs/networks.md): which rows of its tables each pair adds.
#pragma once

#include "light/fourth_placement.h"
#include "light/pairs_input.h"
#include "light/replies.h"
#include "light/third_placement.h"

namespace quarto::light {

struct InputRows {
  PairsInput pairs;
  Replies replies;
  ThirdPlacement third;
  FourthPlacement fourth;

  // The position must not be terminal.
  explicit InputRows(const Position& position) : pairs(position) {
    replies.count(pairs);
    third.count(pairs);
    fourth.count(pairs);
  }

  // Calls each(table, row) for every row that the pair adds, as often as it is added; `table` is a Table.
  template <class F>
  void for_each(int pair, const F& each) const {
    const int row = pair / pairs.n, phase = pairs.placing ? kCounts : 0;
    each(kEmpty, phase + pairs.n);
    each(kSafe, phase + pairs.safe);
    if (row == pairs.hand) each(kHand, 0);
    if (pairs.loses[static_cast<std::size_t>(row)]) each(kLoses, 0);
    each(kPair, pairs.category[static_cast<std::size_t>(pair)]);
    replies.for_each_row(pairs, pair, each);
    third.for_each_row(pairs, pair, each);
    fourth.for_each_row(pairs, pair, each);
  }
};

}  // namespace quarto::light
