// Freshly initialised heads say almost nothing, and biases are zero. This moves every weight by about its own size, as
// training would, so that comparisons compare something.
#pragma once

#include "model/network.h"

namespace quarto {

inline void stir(Network& network) {
  const torch::NoGradGuard no_gradients;
  for (auto& item : network.named_parameters()) {
    torch::Tensor& p = item.value();
    p.add_(torch::randn_like(p) * (0.5 * p.abs().mean() + 0.01));
    const std::string& name = item.key();
    if (name.starts_with("place.") || name.starts_with("give") || name.starts_with("outcome")) p.mul_(5.0);
  }
}

}  // namespace quarto
