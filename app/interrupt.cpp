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
  // Not reset: of several pieces of work, one after another, a signal between two of them stops the next.
  const auto handler = [](int signal) {
    requested = true;
    std::signal(signal, SIG_DFL);
  };
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
  return requested;
}

const RunInterrupt& stop_run_on_interrupt(bool at_once) {
  static RunInterrupt run;
  static std::atomic<bool> interrupt_stops_now;
  run.after_iteration = run.now = false;
  interrupt_stops_now = at_once;
  std::signal(SIGINT, [](int signal) {
    (interrupt_stops_now ? run.now : run.after_iteration) = true;
    std::signal(signal, SIG_DFL);
    constexpr std::string_view kLater =
        "\nstopping when this iteration is finished; Ctrl-C again ends at once and loses what came since the last "
        "checkpoint\n";
    constexpr std::string_view kNow =
        "\nstopping with a checkpoint; Ctrl-C again ends at once and loses what came since the last one\n";
    const std::string_view text = interrupt_stops_now ? kNow : kLater;
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text.data(), text.size());
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
