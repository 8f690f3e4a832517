// The search of search.h for the last few squares, without table, names and trimming. The number of empty squares and
// the question are template arguments. Up to six empty squares this is faster than a table lookup: at 12 empty squares
// quartozero bench solver takes 95 ms of CPU with six, 140 with five, 230 with four.
#pragma once

#include "solver/state.h"
#include "solver/table.h"

namespace quarto::solver {

// The result that follows from the number of empty squares alone, if the giver has a safe piece. With one empty square
// the opponent places the last piece, so the giver gets a draw and no more. With two, the opponent gives the last piece
// and cannot win any more.
constexpr bool known_by_count(int empty, Goal goal) { return goal == Goal::draw ? empty <= 2 : empty <= 1; }
constexpr bool holds_by_count(Goal goal) { return goal == Goal::draw; }

// Counts nodes. An exhausted budget ends a search; what the search then returns is not an answer.
struct Unlimited {
  std::uint64_t nodes = 0;

  bool enter() {
    ++nodes;
    return true;
  }
  static constexpr bool exhausted() { return false; }
};
struct Limited {
  std::uint64_t nodes = 0, limit = 0;
  bool out = false;

  bool enter() {
    if (nodes >= limit) {
      out = true;
      return false;
    }
    ++nodes;
    return true;
  }
  bool exhausted() const { return out; }
};

template <int kEmpty, Goal kGoal, Rules kRules, class Budget>
bool placer_reaches_in_endgame(const Placement<kRules>& placement, const Geometry<kRules>& geometry, Budget& budget);

// With at least this many empty squares the opponent's replies are sorted as in search.h, fewest safe pieces first.
// With fewer, sorting takes more time than it saves.
inline constexpr int kOrderedFrom = 5;

// True if the giver reaches the goal. `safe` is state.safe(), not empty. Counts each give in `budget`.
template <int kEmpty, Goal kGoal, Rules kRules, class Budget>
bool giver_reaches_in_endgame(const State<kRules>& state, Mask safe, const Geometry<kRules>& geometry, Budget& budget) {
  if (!budget.enter()) return false;
  if constexpr (known_by_count(kEmpty, kGoal)) {
    return holds_by_count(kGoal);
  } else {
    for (; safe != 0; safe = static_cast<Mask>(safe & (safe - 1))) {
      const Placement<kRules> placement(state, piece(std::countr_zero(safe)), geometry);
      if (!placer_reaches_in_endgame<kEmpty, other(kGoal)>(placement, geometry, budget)) return !budget.exhausted();
    }
    return false;
  }
}

// True if the placer of a safe piece, who gives next, reaches the goal. kEmpty includes the square to be filled.
template <int kEmpty, Goal kGoal, Rules kRules, class Budget>
bool placer_reaches_in_endgame(const Placement<kRules>& placement, const Geometry<kRules>& geometry, Budget& budget) {
  if constexpr (kEmpty < kOrderedFrom) {
    for (const int s : BitsOf(placement.empty())) {
      const State<kRules> child = placement.on(s, geometry);
      const Mask safe = child.safe();
      if (safe == 0) continue;  // the placer must give a losing piece
      if constexpr (known_by_count(kEmpty - 1, kGoal)) {
        return holds_by_count(kGoal);
      } else {
        if (giver_reaches_in_endgame<kEmpty - 1, kGoal>(child, safe, geometry, budget)) return true;
        if (budget.exhausted()) return false;
      }
    }
  } else {
    std::array<State<kRules>, kEmpty> children;
    std::array<std::uint32_t, kEmpty> order;  // per child: number of safe pieces, index, safe pieces
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
      if (giver_reaches_in_endgame<kEmpty - 1, kGoal>(child, safe, geometry, budget)) return true;
      if (budget.exhausted()) return false;
    }
  }
  return false;
}

// The same with the number of empty squares, 1 to kMost, and the question as run-time arguments.
template <int kMost, Rules kRules, class Budget>
bool endgame(const State<kRules>& state, Mask safe, Goal goal, const Geometry<kRules>& geometry, Budget& budget) {
  if constexpr (kMost > 1) {
    if (std::popcount(state.empty) < kMost) return endgame<kMost - 1>(state, safe, goal, geometry, budget);
  }
  return goal == Goal::draw ? giver_reaches_in_endgame<kMost, Goal::draw>(state, safe, geometry, budget)
                            : giver_reaches_in_endgame<kMost, Goal::win>(state, safe, geometry, budget);
}

}  // namespace quarto::solver
