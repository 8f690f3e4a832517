// What every implementation of the pairs network asks of its weights.
#pragma once

#include <span>

#include "light/pairs_layout.h"

namespace quarto::light {

// Throws std::invalid_argument for a shape that PairsKernel does not support and for another number of weights than the
// shape has, std::runtime_error for a weight that is not a finite number: a ReLU would hide it.
void require_usable(const PairsShape& shape, std::span<const float> weights);

}  // namespace quarto::light
