#include "play/shared_solver.h"

namespace quarto {

Solver& SharedSolver::solver() {
  if (!solver_) solver_.emplace(options_);
  return *solver_;
}

void SharedSolver::prepare() {
  const Turn turn(*this, {}, std::chrono::steady_clock::now());
  (void)solver();
}

SharedSolver::Turn::Turn(SharedSolver& shared, const SolveLimits& limits, std::chrono::steady_clock::time_point start)
    : shared_(shared), taken_(shared.take(limits, start)) {}

SharedSolver::Turn::~Turn() {
  if (!taken_) return;
  {
    const std::lock_guard lock(shared_.mutex_);
    shared_.busy_ = false;
  }
  shared_.freed_.notify_one();
}

bool SharedSolver::take(const SolveLimits& limits, std::chrono::steady_clock::time_point start) {
  using std::chrono::milliseconds;
  constexpr milliseconds kSlice{20};  // how soon a waiting thread notices a stop
  const bool timed = limits.time.count() > 0;
  std::unique_lock lock(mutex_);
  while (true) {
    auto until = std::chrono::steady_clock::now() + kSlice;
    if (timed) until = std::min(until, start + limits.time);
    if (freed_.wait_until(lock, until, [&] { return !busy_; })) return busy_ = true;
    if ((limits.stop && *limits.stop) || (timed && std::chrono::steady_clock::now() >= start + limits.time))
      return false;
  }
}

}  // namespace quarto
