// Self-play: games decoupled from threads.
//
// A worker holds many games and no thread of its own. One step lets every game run until it needs the network's opinion
// of one position; all those positions are evaluated as one batch; every game takes its answer. So a batch is as large
// as the number of games in flight, no search ever waits for another, and no virtual loss is needed. Threads run one
// worker each and share nothing but the counter that hands out games and the evaluator. (The same separation as in
// Wu, "Accelerating Self-Play Learning in Go", 2019, without its locks.) With `batches_in_flight` above one a thread
// has that many workers in turn: while the batch of one is on a GPU, the trees of the others are walked.
//
// Every game has a random generator of its own, seeded by the run's seed and the game's number, so a game does not
// depend on which thread played it or what was played beside it. That covers what is random about the game as a whole:
// where it starts, and which of its moves are searched in full.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "data/sample.h"
#include "env/evaluator.h"
#include "env/oracle.h"
#include "env/position.h"
#include "train/config.h"

namespace quarto {

struct GameRecord {
  std::uint64_t number = 0;
  Position start;  // the empty board, or a random position (SelfPlayConfig::random_starts)
  std::vector<Move> moves;
  std::vector<Sample> samples;  // one for each position that was searched in full, in order
  Value result = Value::draw;   // for the player to act at the end: the one who placed last, if it was played out
};

// Additive, so that threads' counts can be summed.
struct SelfPlayCounts {
  std::uint64_t games = 0, moves = 0;
  std::uint64_t simulations = 0;  // new ones, not those kept from the move before
  std::uint64_t evaluations = 0;  // computed by the network
  std::uint64_t known = 0;        // answered by the cache
  std::uint64_t shared = 0;       // answered by the evaluation of the same position in the same batch
  std::uint64_t batches = 0;
  std::uint64_t places = 0;  // room for evaluations in those batches
  // Seconds of the threads: in all; in the network, or waiting for the device; in encoding, the cache and canonical
  // forms. What is left of `working` is the search and the bookkeeping of games. `paused`: waiting for the learner.
  double working = 0, network = 0, encoding = 0, paused = 0;
  SelfPlayCounts& operator+=(const SelfPlayCounts& other);
  SelfPlayCounts operator-(const SelfPlayCounts& earlier) const;
};

struct SelfPlaySettings {
  std::uint64_t seed = 1;
  Rules rules = Rules::lines;
  SearchConfig search;
  SelfPlayConfig play;
  Oracle* oracle = nullptr;  // for search.oracle_squares; must outlive the games
};
SelfPlaySettings self_play_settings(const RunConfig& config, Oracle* oracle = nullptr);

// Not thread-safe: one thread steps it.
class SelfPlayWorker {
 public:
  // The number of the next game to play, or nothing when no more are wanted.
  using NextGame = std::function<std::optional<std::uint64_t>()>;
  using GameOver = std::function<void(GameRecord)>;

  SelfPlayWorker(const SelfPlaySettings& settings, NextGame next, GameOver over);
  ~SelfPlayWorker();

  // Advances every game by one evaluation. False when there is no game left.
  bool step(EvaluationBatch& batch);
  // The two halves of a step: every game runs until it needs an evaluation, and all those are submitted (false when
  // there are none, as no game is left); then every game takes its answer. A device can compute in between.
  bool gather(EvaluationBatch& batch);
  void scatter(EvaluationBatch& batch);
  const SelfPlayCounts& counts() const { return counts_; }

 private:
  class Game;
  SelfPlaySettings settings_;
  NextGame next_;
  GameOver over_;
  std::vector<std::unique_ptr<Game>> games_;
  std::vector<Game*> waiting_;
  SelfPlayCounts counts_;
};

// The seconds that a call took are added to `sum`.
template <class Call>
auto timed(double& sum, const Call& call) {
  struct Timer {
    double& sum;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Timer() { sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
  } timer{sum};
  return call();
}

// Plays games `first` .. `first + count - 1` on `threads` threads and returns them in order of number. With one thread
// nothing depends on timing. `on_progress` (may be empty) is called now and then from one thread with the number of
// finished games; if `stop` becomes true the games are abandoned and nothing is returned.
struct SelfPlayResult {
  std::vector<GameRecord> games;
  SelfPlayCounts counts;
};
std::optional<SelfPlayResult> play_games(const SelfPlaySettings& settings, Evaluator& evaluator, std::uint64_t first,
                                         int count, int threads, const std::atomic<bool>& stop,
                                         const std::function<void(int)>& on_progress);

// Self-play that never stops: threads that play on while the learner learns, always with the newest evaluator.
class SelfPlayPool {
 public:
  // At most `backlog` finished games wait to be taken; then the threads pause, so that memory stays bounded and the
  // learner never learns from games of long ago.
  SelfPlayPool(const SelfPlaySettings& settings, std::shared_ptr<Evaluator> evaluator, std::uint64_t first, int threads,
               int backlog);
  ~SelfPlayPool();  // abandons the games in flight
  SelfPlayPool(const SelfPlayPool&) = delete;
  SelfPlayPool& operator=(const SelfPlayPool&) = delete;

  // Games continue with the new evaluator from their next evaluation on. Thread-safe.
  void set_evaluator(std::shared_ptr<Evaluator> evaluator);
  // Waits until `count` games are finished and takes them, in the order they ended. Nothing if `stop` becomes true
  // while waiting. Rethrows what a worker thread threw.
  std::optional<SelfPlayResult> take(int count, const std::atomic<bool>& stop,
                                     const std::function<void(int)>& on_progress);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace quarto
