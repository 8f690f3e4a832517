// How long to wait before the next try: longer and longer, and never the same as others, so that a thousand actors do
// not come back at one moment.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/random.h"

namespace quarto::store {

class Backoff {
 public:
  // From `first` seconds, doubled at each try, up to `most`.
  Backoff(double first, double most, std::uint64_t seed) : first_(first), most_(most), now_(first), rng_(seed) {}
  double next() {
    const double wait = now_ * (0.5 + rng_.uniform());
    now_ = std::min(most_, 2 * now_);
    return wait;
  }
  void reset() { now_ = first_; }

 private:
  double first_, most_, now_;
  Rng rng_;
};

// Waits, but not longer than until `stop` is set.
inline void sleep_unless(const std::atomic<bool>& stop, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (!stop && Clock::now() < end)
    std::this_thread::sleep_for(std::min<Clock::duration>(end - Clock::now(), std::chrono::milliseconds(100)));
}

}  // namespace quarto::store
