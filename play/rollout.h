// Plain Monte Carlo tree search: UCT (Kocsis and Szepesvari, "Bandit based Monte-Carlo planning", 2006) with random
// playouts in which wins are taken and losing gives avoided. A yardstick that shares no
// tree with the search the networks use. No exact value but those of finished games; no symmetry; a cold tree for every
// move.
#pragma once

#include "base/random.h"
#include "env/position.h"

namespace quarto {

// The most visited move after `playouts` playouts, at random among equals. playouts >= 1, position not terminal.
Move rollout_move(const Position& position, int playouts, Rng& rng);

}  // namespace quarto
