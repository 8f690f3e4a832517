// Computes the gradient of the loss with the kernel of the pairs network: some seventy times as fast on a CPU as
// LibTorch, because the kernel computes nothing for occupied squares. train/learner.h defines the loss.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/pairs.h"
#include "selfplay/targets.h"

namespace quarto {

class PairsGradient {
 public:
  // The network must outlive this object. The batch is split into `threads` parts, and the result depends on their
  // number (by rounding) and on nothing else.
  PairsGradient(PairsNetwork& network, int threads);

  struct Sums {
    double place = 0, give = 0, outcome = 0;     // nats
    double places = 0, gives = 0, outcomes = 0;  // number of targets that have each
  };
  // Sets the network's gradients to those of the mean loss over `targets`, at least one, with `logit_penalty` times the
  // mean square of the logits of each head that has a target; the sums are without it. Throws std::runtime_error when a
  // weight or an output is not a finite number. Not thread-safe.
  Sums compute(std::span<const Target> targets, bool any_move_with_a_share, double logit_penalty);

 private:
  struct Part;
  PairsNetwork& network_;
  std::vector<light::Floats> gradients_;
};

}  // namespace quarto
