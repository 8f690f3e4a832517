#include "app/interrupt.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

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

const RunInterrupt& stop_run_on_interrupt() {
  static RunInterrupt run;
  run.after_iteration = run.now = false;
  std::signal(SIGINT, [](int signal) {
    run.after_iteration = true;
    std::signal(signal, SIG_DFL);
    constexpr std::string_view kText =
        "\nstopping when this iteration is finished; Ctrl-C again ends at once and loses what came since the last "
        "checkpoint\n";
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText.data(), kText.size());
    errno = error;
  });
  std::signal(SIGTERM, [](int signal) {
    run.now = true;
    std::signal(signal, SIG_DFL);
  });
  return run;
}

bool was_interrupted() { return requested; }

}  // namespace quarto::app
