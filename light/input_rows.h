// The definition of the input of the pairs network (docs/networks.md): which rows of its tables each pair adds.
#pragma once

#include <tuple>

#include "light/fourth_placement.h"
#include "light/pairs_input.h"
#include "light/replies.h"
#include "light/third_placement.h"

namespace quarto::light {

// What is counted of pairs. Each has
//     void count(const PairsInput& in)                     in is of a position that is not terminal
//     static Mask given(const PairsInput& in, int pair)    empty: the pair adds no row
//     void for_each_row(in, pair, each) const              each(table, row) for every row that the pair adds
using PairCounts = std::tuple<Replies, ThirdPlacement, FourthPlacement>;

struct InputRows {
  PairsInput pairs;
  PairCounts counts;

  // The position must not be terminal.
  explicit InputRows(const Position& position) : pairs(position) {
    std::apply([this](auto&... all) { (all.count(pairs), ...); }, counts);
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
    std::apply([&](const auto&... all) { (all.for_each_row(pairs, pair, each), ...); }, counts);
  }
};

}  // namespace quarto::light
