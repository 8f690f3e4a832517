// The last few squares: the same search as in search.h with nothing around it. No table, no order, no trimming, the
// number of empty squares and the question known to the compiler. Two fifths of the time of a solution are spent here
// (bench_solver, 12 empty squares).
#pragma once

#include "solver/state.h"
#include "solver/table.h"

namespace quarto::solver {

// What follows from the number of empty squares alone, once there is a safe piece to give: the last piece placed is the
// opponent's, so with one empty square the giver has a draw and no more; with two, he gives and the opponent gives the
// last piece, so that the opponent cannot win any more.
constexpr bool known_by_count(int empty, Goal goal) { return goal == Goal::draw ? empty <= 2 : empty <= 1; }
constexpr bool holds_by_count(Goal goal) { return goal == Goal::draw; }

// Whether the giver reaches the goal; `safe` is state.safe(), not empty. Counts give nodes.
template <int kEmpty, Goal kGoal, Rules kRules>
bool giver_reaches_in_endgame(const State<kRules>& state, Mask safe, const Geometry<kRules>& geometry,
                              std::uint64_t& nodes) {
  ++nodes;
  if constexpr (known_by_count(kEmpty, kGoal)) {
    return holds_by_count(kGoal);
  } else {
    constexpr Goal kReply = other(kGoal);
    for (; safe != 0; safe = static_cast<Mask>(safe & (safe - 1))) {
      const int p = std::countr_zero(safe);
      State<kRules> child;
      child.left = static_cast<Mask>(state.left & ~(1U << p));
      const Bytes16 contradicted = splat(static_cast<std::uint8_t>(~kKinds[static_cast<std::size_t>(p)]));
      bool refuted = false;
      for (Mask rest = state.empty; rest != 0; rest = static_cast<Mask>(rest & (rest - 1))) {
        const int s = std::countr_zero(rest);
        const auto& through = geometry.through[static_cast<std::size_t>(s)];
        child.gaps = state.gaps + through;
        child.alive = state.alive & ~(through & contradicted);
        const Mask child_safe = child.safe();
        if (child_safe == 0) continue;  // the placer must give a piece that loses
        if constexpr (known_by_count(kEmpty - 1, kReply)) {
          refuted = holds_by_count(kReply);
        } else {
          child.empty = static_cast<Mask>(state.empty & ~(1U << s));
          refuted = giver_reaches_in_endgame<kEmpty - 1, kReply>(child, child_safe, geometry, nodes);
        }
        if (refuted) break;
      }
      if (!refuted) return true;
    }
    return false;
  }
}

// The same with the number of empty squares, 1 to kMost, and the question known only now.
template <int kMost, Rules kRules>
bool endgame(const State<kRules>& state, Mask safe, Goal goal, const Geometry<kRules>& geometry, std::uint64_t& nodes) {
  if constexpr (kMost > 1) {
    if (std::popcount(state.empty) < kMost) return endgame<kMost - 1>(state, safe, goal, geometry, nodes);
  }
  return goal == Goal::draw ? giver_reaches_in_endgame<kMost, Goal::draw>(state, safe, geometry, nodes)
                            : giver_reaches_in_endgame<kMost, Goal::win>(state, safe, geometry, nodes);
}

}  // namespace quarto::solver
