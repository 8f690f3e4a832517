// A network that has learned nothing but has opinions.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "base/random.h"
#include "env/random_play.h"
#include "light/evaluator.h"
#include "light/floats.h"
#include "light/integer_pairs.h"
#include "light/network_file.h"

namespace quarto {

inline light::Floats some_weights(const light::PairsShape& shape) {
  Rng rng(3);
  const light::PairsLayout layout(shape);
  light::Floats weights(static_cast<std::size_t>(layout.size), 0.0F);
  for (const auto& e : layout.entries) {
    const double scale = std::sqrt(0.3 / (e.table ? 1 : e.rows));
    for (int i = 0; i < e.rows * e.cols; ++i)
      weights[static_cast<std::size_t>(e.offset + i)] = static_cast<float>(scale * rng.normal());
  }
  return weights;
}

// What some_network_file() computes.
inline light::IntegerWeights some_integers() {
  const light::PairsShape shape{16, 2, 32};
  return light::integer_weights(shape, some_weights(shape), std::vector<std::uint8_t>(7, 6));
}

inline std::shared_ptr<const light::PairsKernel> some_kernel() {
  static const std::shared_ptr<const light::PairsKernel> kernel = light::make_integer_kernel(some_integers());
  return kernel;
}

inline std::string some_network_file() { return light::network_file_bytes({}, some_integers()); }

}  // namespace quarto
