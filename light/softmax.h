// From logits to probabilities. No LibTorch here.
#pragma once

#include <array>
#include <span>

#include "env/evaluator.h"

namespace quarto {

// Softmax of the logits over the legal moves, zero elsewhere. `legal` must not be empty. A logit that is not finite
// (a broken network) throws std::runtime_error rather than playing on it.
void masked_softmax(std::span<const float> logits, Mask legal, std::array<float, kMoves>& out);

// The opinion that a network's logits express: of the moves of the position's phase, and of win, draw and loss. Throws
// as above.
Evaluation evaluation_of(std::span<const float> policy, Mask legal, std::span<const float> outcome);

}  // namespace quarto
