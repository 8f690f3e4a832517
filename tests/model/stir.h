// Freshly initialised biases are zero and the norms that end a residual block are too. This moves every weight by about
// half its own size, as training would, so that comparisons compare something while logits keep a sensible size.
#pragma once

#include "model/network.h"

namespace quarto {

inline void stir(Network& network) {
  const torch::NoGradGuard no_gradients;
  for (torch::Tensor& p : network.parameters()) {
    const double size = p.abs().mean().item<double>();
    p.add_(torch::randn_like(p) * (size > 0 ? 0.5 * size : 0.05));
  }
}

}  // namespace quarto
