#include "base/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <thread>

#include "base/control_group.h"

namespace quarto {

int usable_cores() {
  cpu_set_t allowed;
  int cores = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0
                  ? CPU_COUNT(&allowed)
                  : static_cast<int>(std::thread::hardware_concurrency());
  // "200000 100000": so many microseconds of processor time in every so many; "max 100000": no limit.
  for (const std::string& value : control_group_values("cpu.max")) {
    std::istringstream in(value);
    double quota = 0, period = 0;
    if (in >> quota >> period && period > 0) cores = std::min(cores, static_cast<int>(std::ceil(quota / period)));
  }
  return std::max(1, cores);
}

}  // namespace quarto
