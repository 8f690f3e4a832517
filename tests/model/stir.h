// Freshly initialised biases are zero and the norms that end a residual block are too. This moves every weight by about
// half its own size, as training would, so that comparisons compare something while logits keep a sensible size.
#pragma once

#include <cstdint>
#include <filesystem>

#include "model/checkpoint.h"
#include "model/input.h"
#include "model/network.h"

namespace quarto {

inline void stir(Network& network) {
  const torch::NoGradGuard no_gradients;
  for (torch::Tensor& p : network.parameters()) {
    const double size = p.abs().mean().item<double>();
    p.add_(torch::randn_like(p) * (size > 0 ? 0.5 * size : 0.05));
  }
}

// The weights of such a network, as after some training: running statistics and heads away from their start.
inline void save_stirred(const NetworkConfig& config, std::uint64_t seed, const std::filesystem::path& file) {
  torch::manual_seed(seed);
  const auto network = make_network(config);
  network->forward(torch::rand(with_rows(64, input_of(network->config()))));
  stir(*network);
  WeightsInfo info;
  info.step = 42;
  save_weights(*network, file, info);
}

}  // namespace quarto
