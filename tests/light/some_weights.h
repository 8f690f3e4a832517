// Random weights for the tests of kernels.
#pragma once

#include <cmath>

#include "base/random.h"
#include "light/floats.h"
#include "light/pairs_layout.h"

namespace quarto::light {

inline Floats some_weights(const PairsShape& shape, std::uint64_t seed) {
  const PairsLayout layout(shape);
  Floats weights(static_cast<std::size_t>(layout.size), 0.0F);
  Rng rng(seed);
  for (const auto& e : layout.entries) {
    const float scale = e.gain > 0 ? std::sqrt(e.table ? e.gain : e.gain / static_cast<float>(e.rows)) : 0.05F;
    for (int i = 0; i < e.rows * e.cols; ++i)
      weights[static_cast<std::size_t>(e.offset + i)] = scale * static_cast<float>(rng.normal());
  }
  return weights;
}

}  // namespace quarto::light
