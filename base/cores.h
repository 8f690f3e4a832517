// How many threads make sense here.
#pragma once

namespace quarto {

// Processors this process may use: what taskset, a container or a control group's quota allows, not what the machine
// has. At least 1.
int usable_cores();

}  // namespace quarto
