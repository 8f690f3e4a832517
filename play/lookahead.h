// Plain depth-limited search: alpha-beta (Knuth and Moore, "An analysis of alpha-beta pruning", 1975) that knows
// nothing but the rules. It sees the wins, losses and draws of games that end within its horizon and takes everything
// beyond for a draw. What a player adds to it by judging unfinished positions, it adds by knowledge.
#pragma once

#include "base/random.h"
#include "env/position.h"

namespace quarto {

// The value for the player to act of the game broken off after `plies` more gives and places, a draw where it is not
// over by then. plies >= 0.
Value lookahead_value(const Position& position, int plies);

// One of the best moves by that value, each as likely as the next. A move itself is the first ply: a place that wins
// needs one, a give that loses at once shows with two. plies >= 1, position not terminal.
Move lookahead_move(const Position& position, int plies, Rng& rng);

}  // namespace quarto
