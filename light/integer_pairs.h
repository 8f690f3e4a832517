// The pairs network in integers, for playing: all operations are exact, so every processor computes the same outputs.
// docs/formats.md defines them; tests compare them with a plain form of that definition and with the float kernel.
#pragma once

#include <memory>

#include "light/integer_weights.h"
#include "light/pairs_kernel.h"

namespace quarto::light {

// A kernel for playing: backward() throws std::logic_error. Throws what require_usable() throws.
std::unique_ptr<PairsKernel> make_integer_kernel(const IntegerWeights& weights);

}  // namespace quarto::light
