// Forced playouts and policy target pruning at a noisy PUCT root, as pure functions (Wu, "Accelerating Self-Play
// Learning in Go", 2019, section 3.2). Noise raises the priors of some moves; PUCT visits such a move once and, if that
// evaluation is poor, not again for long. Forcing gives it more visits. Pruning takes these visits out of the target,
// so that the policy does not learn the noise.
#pragma once

#include <span>

#include "mcts/gumbel.h"

namespace quarto {

// The visits that a move of the root which has been tried is entitled to, of `total` at the root: sqrt(k * prior *
// total).
double forced_visits(double k, double prior, int total);

// The visits of `among` without those that were forced: from every move but the most visited, up to its forced visits
// are taken, as long as PUCT (q + exploration * prior / (1 + visits)) would still prefer the most visited one. A move
// that is left with a single visit by that loses it too.
gumbel::PerMove pruned_visits(std::span<const gumbel::Arm> arms, Mask among, double k, int total, double exploration);

}  // namespace quarto
