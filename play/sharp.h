// Of the moves that keep a position's exact value, the one that makes the most of it:
//
//     won     the shortest win
//     lost    the longest loss
//     drawn   the one after which the opponent's next placement loses on the most squares (for a placement: after the best
//             give that follows it), with at most kTrapSquares empty squares
//
// No other move is ever chosen, so a player's results against perfect play stay what they are.
#pragma once

#include <optional>

#include "play/shared_solver.h"

namespace quarto {

// From there on it takes half a second at worst; two squares earlier ten.
inline constexpr int kTrapSquares = 11;

// The first such move, by index; nullopt if none is looked for, the limits end it first, or the position's value is not
// known.
std::optional<Move> sharpest_move(SharedSolver& solver, const Position& position, const MoveSolution& solution,
                                  const SolveLimits& limits = {});

}  // namespace quarto
