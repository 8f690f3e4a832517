// Of the moves that keep a position's exact value, the one that makes the most of it:
//
//     won     the shortest win
//     lost    the longest loss
//     drawn   the one after which the opponent's next placement loses on the most squares (for a placement: after the best
//             give that follows it), with at most kTrapSquares empty squares
//
// Only moves that keep the value are chosen, so a player's results against perfect play stay what they are.
//
// PerfectPlayer (play/perfect.h) sets the same traps in a draw. It has no limits, remembers over games what it has found,
// and draws among equal moves; here a choice is a function of the position and nothing is kept beside the solver's table.
#pragma once

#include <optional>

#include "play/shared_solver.h"

namespace quarto {

// With so many empty squares the traps take half a second at worst, with 13 of them ten seconds.
inline constexpr int kTrapSquares = 11;

struct Sharpest {
  // The first such move, by index. Empty if the position's value is not known or none is looked for.
  std::optional<Move> move{};
  // False where the limits ended the search. Then there is no move in a won or drawn position, and in a lost one it is
  // the first of those whose loss was not found so far: they last longer than the others.
  bool complete = true;
};

Sharpest sharpest_move(SharedSolver& solver, const Position& position, const MoveSolution& solution,
                       const SolveLimits& limits = {});

}  // namespace quarto
