// How fast a training run goes on this machine.
#pragma once

#include <string>

#include "train/config.h"

namespace quarto::bench {

struct RunSpeed {
  double games_a_second = 0;  // of wall time, learning included
  std::string evaluated_by;   // "the processor", or which GPU and how
};

// Plays and learns as the trainer does, in small iterations, for about so many seconds after a first one. `checkpoint`:
// weights to play with, "": fresh ones. Keeps nothing. Throws what a run would.
RunSpeed run_speed(RunConfig config, const std::string& checkpoint, double seconds);

}  // namespace quarto::bench
