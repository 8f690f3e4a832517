// How many threads make sense here.
#pragma once

#include <sched.h>

#include <algorithm>
#include <thread>

namespace quarto {

// Processors this process may run on: what a container or taskset allows, not what the machine has. At least 1.
inline int usable_cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace quarto
