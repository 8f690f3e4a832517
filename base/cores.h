// How many threads make sense here.
#pragma once

namespace quarto {

// Processors this process may use: what taskset, a container or the quota of a control group (of version 2) allows, not
// what the machine has. At least 1.
int usable_cores();

}  // namespace quarto
