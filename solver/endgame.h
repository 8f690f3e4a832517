// The last few squares: the same search as in search.h with nothing around it. No table, no names, no trimming, the
// number of empty squares and the question known to the compiler. Up to six empty squares this beats probing a table:
// at 12 empty squares quartozero bench solver takes 95 ms of CPU with six, 140 with five, 230 with four.
#pragma once

#include "solver/state.h"
#include "solver/table.h"

namespace quarto::solver {

// What follows from the number of empty squares alone, once there is a safe piece to give: the last piece placed is the
// opponent's, so with one empty square the giver has a draw and no more; with two, he gives and the opponent gives the
// last piece, so that the opponent cannot win any more.
constexpr bool known_by_count(int empty, Goal goal) { return goal == Goal::draw ? empty <= 2 : empty <= 1; }
constexpr bool holds_by_count(Goal goal) { return goal == Goal::draw; }

template <int kEmpty, Goal kGoal, Rules kRules>
bool placer_reaches_in_endgame(const Placement<kRules>& placement, const Geometry<kRules>& geometry,
                               std::uint64_t& nodes);

// From this many empty squares on, the opponent's replies are tried in the order of search.h, fewest safe pieces first;
// below, sorting costs more than it saves.
inline constexpr int kOrderedFrom = 5;

// Whether the giver reaches the goal; `safe` is state.safe(), not empty. Counts give nodes.
template <int kEmpty, Goal kGoal, Rules kRules>
bool giver_reaches_in_endgame(const State<kRules>& state, Mask safe, const Geometry<kRules>& geometry,
                              std::uint64_t& nodes) {
  ++nodes;
  if constexpr (known_by_count(kEmpty, kGoal)) {
    return holds_by_count(kGoal);
  } else {
    for (; safe != 0; safe = static_cast<Mask>(safe & (safe - 1))) {
      const Placement<kRules> placement(state, piece(std::countr_zero(safe)), geometry);
      if (!placer_reaches_in_endgame<kEmpty, other(kGoal)>(placement, geometry, nodes)) return true;
    }
    return false;
  }
}

// Whether the placer of a safe piece, the giver afterwards, reaches the goal; kEmpty counts the square to be filled.
template <int kEmpty, Goal kGoal, Rules kRules>
bool placer_reaches_in_endgame(const Placement<kRules>& placement, const Geometry<kRules>& geometry,
                               std::uint64_t& nodes) {
  if constexpr (kEmpty < kOrderedFrom) {
    for (const int s : BitsOf(placement.empty())) {
      const State<kRules> child = placement.on(s, geometry);
      const Mask safe = child.safe();
      if (safe == 0) continue;  // the placer must give a piece that loses
      if constexpr (known_by_count(kEmpty - 1, kGoal)) {
        return holds_by_count(kGoal);
      } else {
        if (giver_reaches_in_endgame<kEmpty - 1, kGoal>(child, safe, geometry, nodes)) return true;
      }
    }
  } else {
    std::array<State<kRules>, kEmpty> children;
    std::array<std::uint32_t, kEmpty> order;  // number of safe pieces; which child; its safe pieces
    std::size_t count = 0;
    for (const int s : BitsOf(placement.empty())) {
      children[count] = placement.on(s, geometry);
      const Mask safe = children[count].safe();
      if (safe == 0) continue;
      const std::uint32_t key =
          (static_cast<std::uint32_t>(std::popcount(safe)) << 24) | (static_cast<std::uint32_t>(count) << 16) | safe;
      std::size_t i = count++;
      for (; i > 0 && order[i - 1] > key; --i) order[i] = order[i - 1];
      order[i] = key;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const State<kRules>& child = children[(order[i] >> 16) & 0xFF];
      const auto safe = static_cast<Mask>(order[i]);
      if (giver_reaches_in_endgame<kEmpty - 1, kGoal>(child, safe, geometry, nodes)) return true;
    }
  }
  return false;
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
