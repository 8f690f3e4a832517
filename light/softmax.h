// Converts logits to probabilities.
#pragma once

#include <array>
#include <span>

#include "env/evaluator.h"

namespace quarto {

// Softmax of the logits over the legal moves, zero elsewhere. `legal` must not be empty. Throws std::runtime_error for
// a logit that is not finite (a broken network).
void masked_softmax(std::span<const float> logits, Mask legal, std::array<float, kMoves>& out);

// Makes an evaluation from a network's logits: those of the moves of the position's phase, and of win, draw and loss.
// Throws as above.
Evaluation evaluation_of(std::span<const float> policy, Mask legal, std::span<const float> outcome);

}  // namespace quarto
