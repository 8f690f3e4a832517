#include "light/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/portable_math.h"

namespace quarto {

void masked_softmax(std::span<const float> logits, Mask legal, std::array<float, kMoves>& out) {
  out.fill(0.0F);
  float highest = -std::numeric_limits<float>::infinity();
  for (const int m : BitsOf(legal)) {
    const float x = logits[static_cast<std::size_t>(m)];
    if (!std::isfinite(x)) {
      throw std::runtime_error("the network's output is not a finite number: its weights are broken");
    }
    highest = std::max(highest, x);
  }
  float sum = 0;
  for (const int m : BitsOf(legal)) {
    const auto i = static_cast<std::size_t>(m);
    out[i] = static_cast<float>(portable::exp(static_cast<double>(logits[i]) - static_cast<double>(highest)));
    sum += out[i];
  }
  for (const int m : BitsOf(legal)) out[static_cast<std::size_t>(m)] /= sum;
}

Evaluation evaluation_of(std::span<const float> policy, Mask legal, std::span<const float> outcome) {
  Evaluation e;
  masked_softmax(policy, legal, e.prior);
  std::array<float, kMoves> chances{};
  masked_softmax(outcome, 0b111, chances);
  e.win = chances[0];
  e.draw = chances[1];
  e.loss = chances[2];
  return e;
}

}  // namespace quarto
