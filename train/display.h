// Shows the progress of a run: on a terminal a small panel redrawn in place, elsewhere a plain line at the start, at
// intervals, and for every iteration that measured agreement. Not thread-safe: only the trainer's thread calls it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>

#include "train/config.h"
#include "train/learner.h"
#include "train/self_play.h"

namespace quarto {

// Where games come from a store (train/collector.h). Of the last iteration, except the counts of the run's session.
struct StoreStatus {
  bool used = false;
  std::uint64_t actors = 0, queue = 0;                 // now
  std::uint64_t duplicates = 0, old = 0, refused = 0;  // of the session
  double waited_seconds = 0;                           // by the learner, for games
  double answer_seconds = 0;                           // of one question to the store
  double actors_waited_for_store = 0;                  // seconds, summed over their threads
  double actors_waited_for_store_before = 0;           // the sum up to the iteration
};

struct RunStatus {
  std::uint64_t iteration = 0, games = 0, samples = 0, steps = 0;
  std::size_t replay_size = 0, replay_window = 0;
  double elapsed = 0;    // seconds over all sessions of the run
  double progress = 0;   // share of the run done, 0..1
  double remaining = 0;  // seconds, estimated; negative when unknown
  StepLoss loss;         // mean over the last iteration
  double learning_rate = 0;
  double self_play_seconds = 0, learning_seconds = 0;  // of the last iteration
  SelfPlayCounts counts;                               // of the last iteration
  StoreStatus store;
  bool in_turn = true;       // self-play and learning alternate; false: they run at the same time
  bool on_gpu = false;       // self-play's network is on a GPU
  nlohmann::json agreement;  // the last that was measured: {"decisive": 0.83, ...}; null before the first evaluation
  std::uint64_t agreement_iteration = 0;  // which iteration it is of; 0: not known
  std::string note;                       // the latest event

  bool measured_now() const { return agreement.is_object() && agreement_iteration == iteration; }
};

// One sentence: what limits the speed of the last iteration.
std::string bottleneck_of(const RunStatus& status);

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
  std::string said_limit_;  // what a plain line said last that limits the run
  int drawn_lines_ = 0;
  Clock::time_point last_draw_{}, last_line_{};
};

// "▁▂▄▇" for a series, scaled from its least to its largest value.
std::string sparkline(const std::deque<double>& values);
// The one line of the plain display. It has the agreement if that was measured in this iteration. What limits the run
// is not in it: the display adds that when it has changed.
std::string plain_line(const RunStatus& status);

}  // namespace quarto
