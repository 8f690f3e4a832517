// The input of a learning step: positions with their targets.
#pragma once

#include <array>
#include <vector>

#include "base/random.h"
#include "data/sample.h"
#include "env/symmetry.h"

namespace quarto {

struct Target {
  Position position;
  PolicyHead policy;             // shares of the moves, sum 1; all zero: no policy target
  std::array<float, 3> outcome;  // win, draw, loss for the player to act, sum 1; all zero: no outcome target
};

// Draws so many targets. `search_value` is the share of the search's value in the outcome, 0 to 1. With `images` each
// is a random image of its position.
std::vector<Target> draw_targets(const SampleSource& samples, int count, double search_value, bool images, Rng& rng);

}  // namespace quarto
