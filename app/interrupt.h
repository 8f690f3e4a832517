// Stops long work at Ctrl-C without losing results.
#pragma once

#include <atomic>

namespace quarto::app {

// After this call the first SIGINT or SIGTERM sets the flag, and the command saves and prints its results; a second one
// ends the program at once. The flag lives as long as the program.
const std::atomic<bool>& stop_on_interrupt();

// Whether the last such work was ended by a signal.
bool was_interrupted();

}  // namespace quarto::app
