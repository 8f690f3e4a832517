// Shows the progress of a run: on a terminal a small panel redrawn in place, elsewhere a plain line at the start, at
// intervals, and for every iteration that measured agreement. Not thread-safe: only the trainer's thread calls it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <set>
#include <string>

#include "base/json_library.h"
#include "train/run_status.h"

namespace quarto {

class Display {
 public:
  // `title` is the first line of the panel. With `quiet` nothing is shown.
  Display(std::string title, bool quiet);
  ~Display();
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  // Once, when the work begins: a line where there is no terminal. The panel has its title.
  void begin(const std::string& line);
  // The current activity: "iteration 3: self-play, 120 of 250 games".
  void activity(const std::string& what);
  // Call at the end of an iteration.
  void iteration(const RunStatus& status);
  // A permanent line: a checkpoint, new best weights, a warning.
  void message(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  void draw();
  void clear();
  std::string title_, activity_;
  RunStatus status_;
  std::deque<double> losses_;
  bool quiet_, terminal_, has_status_ = false;
  std::set<std::string> said_limits_;  // what plain lines said that limits the run
  int drawn_lines_ = 0;
  Clock::time_point last_draw_{}, last_line_{}, status_at_{};
};

// "▁▂▄▇" for a series, scaled from its least to its largest value.
std::string sparkline(const std::deque<double>& values);
// "decisive 83.1%  deep 61.0%"
std::string agreement_text(const nlohmann::json& agreement);
// The one line of the plain display. It has the agreement if that was measured in this iteration. What limits the run
// is not in it: the display adds that once for each limit.
std::string plain_line(const RunStatus& status);

}  // namespace quarto
