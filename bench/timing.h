// How the benchmarks of evaluators take time.
#pragma once

#include <time.h>

#include <algorithm>
#include <vector>

#include "env/random_play.h"

namespace quarto::bench {

// This thread's processor time: a busy machine disturbs it little.
inline double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// The median of short runs that together take about so long, in seconds; a few runs come first unmeasured.
template <class Once>
double median_seconds(const Once& once, double seconds) {
  const auto measured = [&] {
    const double start = processor_seconds();
    once();
    return processor_seconds() - start;
  };
  for (int i = 0; i < 5; ++i) measured();
  std::vector<double> times;
  for (double spent = 0; spent < seconds || times.size() < 5; spent += times.back()) times.push_back(measured());
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

inline std::vector<Position> positions_in_play(std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Position> positions;
  while (positions.size() < n) positions.push_back(random_careless_position_at(static_cast<int>(rng.below(24)), rng));
  return positions;
}

}  // namespace quarto::bench
