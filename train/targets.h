// What a learning step wants of its samples: positions with the answers they should get.
#pragma once

#include <array>
#include <vector>

#include "base/random.h"
#include "data/sample.h"
#include "env/symmetry.h"
#include "train/config.h"

namespace quarto {

struct Target {
  Position position;
  PolicyHead policy;             // shares of the moves, summing to one; or all zero: nothing is asked of the policy
  std::array<float, 3> outcome;  // win, draw, loss for the player to act, summing to one; or all zero
};

// config.batch of them; with `images`, each under a random symmetry of the game.
std::vector<Target> draw_targets(const SampleSource& samples, const LearnerConfig& config, bool images, Rng& rng);

}  // namespace quarto
