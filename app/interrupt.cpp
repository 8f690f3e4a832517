#include "app/interrupt.h"

#include <csignal>

namespace quarto::app {
namespace {
std::atomic<bool> requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set in a signal handler");
}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  requested = false;
  const auto handler = [](int signal) {
    requested = true;
    std::signal(signal, SIG_DFL);
  };
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
  return requested;
}

bool was_interrupted() { return requested; }

}  // namespace quarto::app
