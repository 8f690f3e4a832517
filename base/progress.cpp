#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace quarto {
namespace {

bool is_terminal(int fd) {
  const char* term = std::getenv("TERM");
  return ::isatty(fd) == 1 && !(term && std::strcmp(term, "dumb") == 0);
}

}  // namespace

std::string format_rate(double per_second) {
  if (per_second <= 0) return "";
  if (per_second >= 0.5) return format_count(per_second) + "/s";
  const double per_minute = 60 * per_second;
  return per_minute >= 0.5 ? fmt::format("{:.1f}/min", per_minute) : fmt::format("{:.1f}/h", 60 * per_minute);
}

bool stderr_is_terminal() { return is_terminal(STDERR_FILENO); }
bool stdout_is_terminal() { return is_terminal(STDOUT_FILENO); }

Progress::Progress(std::string what, std::uint64_t total, std::string unit, std::uint64_t done_before)
    : what_(std::move(what)),
      unit_(std::move(unit)),
      total_(total),
      done_before_(done_before),
      start_(Clock::now()),
      last_(start_),
      terminal_(stderr_is_terminal()) {}

Progress::~Progress() { finish(); }

void Progress::update(std::uint64_t done, const std::string& note, std::optional<double> seconds_left) {
  const auto now = Clock::now();
  const double since_last = std::chrono::duration<double>(now - last_).count();
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (elapsed < 1.0 || since_last < (terminal_ ? 0.2 : 10.0)) return;
  last_ = now;
  const double rate = static_cast<double>(done - std::min(done, done_before_)) / elapsed;
  std::string line = what_ + ": " + format_count(static_cast<double>(done));
  if (total_ > 0) line += " of " + format_count(static_cast<double>(total_));
  if (!unit_.empty()) line += " " + unit_;
  if (total_ > 0) line += fmt::format(" ({:.0f}%)", 100.0 * static_cast<double>(done) / static_cast<double>(total_));
  if (rate > 0) line += ", " + format_rate(rate);
  if (!seconds_left && total_ > done && rate > 0) seconds_left = static_cast<double>(total_ - done) / rate;
  if (seconds_left && *seconds_left >= 0) line += ", " + format_duration(*seconds_left) + " left";
  if (!note.empty()) line += ", " + note;
  std::fputs(terminal_ ? fmt::format("\r\033[K\033[?7l{}\033[?7h", line).c_str() : (line + "\n").c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::finish() {
  if (drawn_ && terminal_) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }
  drawn_ = false;
}

StagedProgress::StagedProgress(std::string unit) : unit_(std::move(unit)) {}

void StagedProgress::update(const std::string& stage, std::uint64_t done, std::uint64_t total) {
  if (!progress_ || stage != stage_) {
    progress_.emplace(stage, total, unit_);
    stage_ = stage;
  }
  progress_->update(done);
}

void StagedProgress::finish() { progress_.reset(); }

std::string format_duration(double seconds) {
  const long long s = std::llround(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s % 3600 / 60);
}

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string format_count(double n) {
  if (n < 1e3)
    return n == static_cast<double>(static_cast<long long>(n)) ? fmt::format("{:.0f}", n) : fmt::format("{:.1f}", n);
  if (n < 1e6) return fmt::format("{:.1f}k", n / 1e3);
  if (n < 1e9) return fmt::format("{:.2f}M", n / 1e6);
  return fmt::format("{:.2f}G", n / 1e9);
}

}  // namespace quarto
