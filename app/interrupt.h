// Ending long work in an orderly way.
#pragma once

#include <atomic>

namespace quarto::app {

// From now on the first SIGINT or SIGTERM sets the flag, so that what was found is kept and said; a second one kills as
// usual. The flag lives as long as the program.
const std::atomic<bool>& stop_on_interrupt();

// Whether the last such work was ended by a signal.
bool was_interrupted();

}  // namespace quarto::app
