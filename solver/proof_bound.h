// Where a prover with a given number of nodes has an answer to every question of a player.
#pragma once

#include <cstdint>

#include "env/position.h"

namespace quarto {

// Whether prove() (prover.h) with `nodes` nodes, after the piece in hand is placed and in all that can follow by safe
// gives and by places that leave a safe piece,
//   - with no piece in hand, always answers whether the player to act gets at least a draw
//   - with a piece in hand, always answers that, and whether the player to act wins.
// So a search that asks about each of its moves never moves from a position that is not lost to one that is.
//
// Found by counting the boards that the prover can enter for such a question; a board that is reached in several ways
// counts each time. A board with three empty squares whose replies the prover enters counts as if every safe piece had
// three of them. So proofs may suffice where this says that they do not. A piece must be in hand. Thread-safe. About 10 us with seven empty squares and 10,000 nodes.
bool proofs_suffice(const Position& position, std::uint64_t nodes);

}  // namespace quarto
