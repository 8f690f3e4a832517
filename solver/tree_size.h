// How large the game tree below a position is, as a bound of what a search of it can cost.
#pragma once

#include <cstdint>

#include "env/position.h"

namespace quarto {

// The number of boards to give a piece at, the position's own included, that can be reached by safe gives and by places
// after which a safe piece is left; a board that is reached in several ways counts each time. With one empty square
// nothing is left to decide: such boards do not count, but for the position's own. If there are more than `at_most`,
// `at_most` + 1.
//
// No question to a prover (env/prover.h, solver/prover.h) about this position, or about one that can follow from it by
// such moves, takes more nodes than this (or than 1, if it is 0). The position must not be
// terminal. Thread-safe. About 10 ns a board.
std::uint64_t tree_size(const Position& position, std::uint64_t at_most);

}  // namespace quarto
