// One line of progress on standard error: what is being done, how far, how fast, and how long it will take. On a
// terminal the line is redrawn in place; elsewhere a plain line is printed now and then. Silent for the first second,
// so that quick work prints nothing. Not thread-safe: one thread reports.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quarto {

class Progress {
 public:
  // total == 0: the amount of work is not known; no share and no ETA are shown. `done_before` is what earlier runs did,
  // which says nothing about the speed of this one.
  Progress(std::string what, std::uint64_t total, std::string unit = "", std::uint64_t done_before = 0);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `seconds_left` where the caller knows better than that the rest takes as long as what is done did; kNotKnown: then
  // none are shown.
  static constexpr double kNotKnown = -1;
  void update(std::uint64_t done, const std::string& note = "", std::optional<double> seconds_left = std::nullopt);
  void finish();
  // So much of what is done was done before: it says nothing about the speed of this run.
  void count_as_before(std::uint64_t done) { done_before_ += done; }

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_, unit_;
  std::uint64_t total_, done_before_;
  Clock::time_point start_, last_;
  bool terminal_, drawn_ = false;
};

// Progress of work in stages, each with an amount of its own.
class StagedProgress {
 public:
  explicit StagedProgress(std::string unit);
  // A stage begins when it is named for the first time after another.
  void update(const std::string& stage, std::uint64_t done, std::uint64_t total);
  void finish();
  // update(), for work that tells of itself; the object must outlive it.
  auto shower() {
    return [this](const std::string& stage, std::size_t done, std::size_t total) { update(stage, done, total); };
  }

 private:
  std::string unit_, stage_;
  std::optional<Progress> progress_;
};

// "3 s", "4 min 05 s", "2 h 11 min".
std::string format_duration(double seconds);
// "1 game", "2 games".
std::string counted(std::uint64_t n, std::string_view what);
// "950", "12.3k", "4.56M".
std::string format_count(double n);
// How often: "172.4/s", "1.5/min", "2.0/h"; "" for 0.
std::string format_rate(double per_second);
// Standard error is a terminal (and TERM is not "dumb").
bool stderr_is_terminal();
bool stdout_is_terminal();

}  // namespace quarto
