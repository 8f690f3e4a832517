// What the kernels are given (gpu/pairs_position.h), made from the types of this project.
#pragma once

#include "env/position.h"
#include "gpu/pairs_position.h"
#include "light/pairs_layout.h"

namespace quarto::gpu {

Board board_of(const Position& position);

// The lines of the rules alone.
Network network_of(Rules rules);

// Everything but the weights, which are null. Throws std::invalid_argument for more than kMostBlocks blocks.
Network network_of(const light::PairsShape& shape, Rules rules);

}  // namespace quarto::gpu
