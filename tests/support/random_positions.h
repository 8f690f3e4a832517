// Random material shared by the tests.
#pragma once

#include "env/random_play.h"

namespace quarto {

// Any ply from 0 to 27.
inline Position random_position(Rng& rng, Rules rules = Rules::lines) {
  return random_position_at(static_cast<int>(rng.below(28)), rng, rules);
}

}  // namespace quarto
