// Random weights for the tests of kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "light/floats.h"
#include "light/integer_weights.h"
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

// Fraction bits with which such weights fit, different ones for blocks.
inline std::vector<std::uint8_t> some_bits(const PairsShape& shape) {
  std::vector<std::uint8_t> bits = {7};
  for (int b = 0; b <= shape.blocks; ++b) {
    bits.push_back(static_cast<std::uint8_t>(std::max(0, 7 - b)));
    bits.push_back(static_cast<std::uint8_t>(6 + b % 2));
  }
  return bits;
}

inline IntegerWeights some_integers(const PairsShape& shape, std::uint64_t seed) {
  return integer_weights(shape, some_weights(shape, seed), some_bits(shape));
}

// Weights that reach every limit, all of this sign; 0: either. Bits of 4, and matrices of 1.
inline IntegerWeights integers_at_limits(const PairsShape& shape, int sign) {
  const PairsLayout layout(shape);
  Rng rng(3);
  IntegerWeights weights{shape,
                         std::vector<std::uint8_t>(IntegerWeights::bits_of(shape), 4),
                         {},
                         std::vector<std::int16_t>(static_cast<std::size_t>(layout.size))};
  for (const auto& e : layout.entries) {
    weights.shifts.push_back(is_matrix(e) ? 1 : 0);
    // What pairs add up is limited as a whole.
    const bool counted = e.name.starts_with("reply_") || e.name.starts_with("third_") || e.name.starts_with("fourth_");
    const int most = is_matrix(e)                                              ? 127
                     : counted                                                 ? 100
                     : e.name.starts_with("block") || e.name.ends_with("bias") ? 4095
                                                                               : 1600;
    for (int i = e.offset; i < e.offset + e.rows * e.cols; ++i) {
      const int signs = sign != 0 ? sign : rng.below(2) != 0 ? 1 : -1;
      weights.weights[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(signs * most);
    }
  }
  return weights;
}

}  // namespace quarto::light
