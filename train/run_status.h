// How a run goes, after an iteration: what the display shows and the metrics say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_library.h"
#include "selfplay/game_source.h"
#include "train/learner.h"

namespace quarto {

// Where games come from a store (selfplay/collector.h).
struct StoreStatus {
  bool used = false;
  StoreFigures figures;                // of the run's session, and now
  double waited_seconds = 0;           // by the learner, for games of the last iteration
  double actors_waited_for_store = 0;  // in the last iteration: seconds, summed over their threads
};

// One game of an iteration, to be looked at; empty texts of no games.
struct ShownGame {
  std::string moves;   // "0 a1 7 c2 ...", or if it does not begin at the empty board "..../2F.A/E9../.8B3 - : C b3"
  std::string result;  // "draw", "first player wins", "second player wins, proven before the end"
};
// The first of those that begin at the empty board, or if none does the first of all.
ShownGame shown_game(const std::vector<GameRecord>& games);

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
  std::uint64_t agreement_iteration = 0;  // which iteration it is of
  nlohmann::json measured;                // of this iteration: fields for the metrics; null: it was not measured
  std::optional<double> match_score;      // of the last match against the best weights, if it was in this iteration
  ShownGame game;                         // one game of the last iteration
  std::string note;                       // the latest event
};

// One sentence: what limits the speed of the last iteration.
std::string bottleneck_of(const RunStatus& status);
// The iteration's line of metrics.jsonl.
nlohmann::json metrics_of(const RunStatus& status);

}  // namespace quarto
