// The gradient of the loss by the pairs network's own kernel: some seventy times as fast on a CPU as LibTorch, because
// nothing is computed for squares that are taken. The loss is the learner's (train/learner.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "model/pairs.h"
#include "train/targets.h"

namespace quarto {

class PairsGradient {
 public:
  static bool supports(const PairsNetwork& network);
  // The network must outlive it. The batch is cut into `threads` parts; the result depends on their number (rounding)
  // and on nothing else.
  PairsGradient(PairsNetwork& network, int threads);

  struct Sums {
    double place = 0, give = 0, outcome = 0;     // nats
    double places = 0, gives = 0, outcomes = 0;  // how many targets ask for each
  };
  // Sets the network's gradients to those of the mean loss over `targets`, of which there must be at least one. Throws
  // std::runtime_error when a weight or an output is not a finite number. Not thread-safe.
  Sums compute(std::span<const Target> targets, bool any_move_with_a_share);

 private:
  struct Part;
  PairsNetwork& network_;
  std::vector<light::Floats> gradients_;
};

}  // namespace quarto
