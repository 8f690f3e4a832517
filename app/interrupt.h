// Stops long work at Ctrl-C without losing results.
#pragma once

#include <atomic>

namespace quarto::app {

// After this call the first SIGINT or SIGTERM sets the flag, and the command saves and prints its results; a second one
// ends the program at once. The flag lives as long as the program, and stays set.
const std::atomic<bool>& stop_on_interrupt();

// For work in iterations that can be gone on with: the first SIGINT asks it to stop after the present iteration, and
// says so on standard error; SIGTERM, which a system sends that will not wait long, asks it to stop now and to lose no
// more than the iteration. A second signal of the same kind ends the program at once.
//
// With `at_once` SIGINT stops as SIGTERM does: for work that loses nothing when an iteration is not finished.
struct RunInterrupt {
  std::atomic<bool> after_iteration = false, now = false;
};
const RunInterrupt& stop_run_on_interrupt(bool at_once = false);

// Whether such work was told to end by a signal.
bool was_interrupted();

}  // namespace quarto::app
