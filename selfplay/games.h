// selfplay: games of self-play on threads and elsewhere, the samples and targets that they make; no LibTorch
// Uses: base, env, mcts, data, store.
// Promises: A game is a function of the run's seed, its number and the weights, whoever plays it. It uses exact values
// only through an oracle that the caller passes.
//
// This header: many games per thread, evaluated in batches.
//
// A worker holds many games. In one step every game runs until it needs the evaluation of one position; the worker
// evaluates all these positions as one batch and hands the results to the games. So a batch is as large as the number
// of games in flight, no search waits for another, and no virtual loss is needed. (The same separation as in Wu,
// "Accelerating Self-Play Learning in Go", 2019.) For a GPU a thread has several workers, which take turns: while the GPU
// computes the batch of one, the thread searches in the others.
//
// Every game has its own random generator, seeded by the run's seed and the game's number. So a game does not depend on
// the thread that played it or on the games beside it. The generator also decides where the game starts and which of
// its moves are searched in full.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "data/game.h"
#include "env/evaluator.h"
#include "mcts/search.h"
#include "selfplay/config.h"

namespace quarto {

// All counts can be summed over threads.
struct SelfPlayCounts {
  std::uint64_t games = 0, moves = 0;
  std::uint64_t simulations = 0;  // new ones, without those kept from the previous move
  std::uint64_t evaluations = 0;  // computed by the network
  std::uint64_t known = 0;        // answered by the cache
  std::uint64_t shared = 0;       // answered by the evaluation of the same position in the same batch
  std::uint64_t batches = 0;
  std::uint64_t places = 0;  // capacity of those batches
  // Seconds, summed over threads. `working`: all work. `network`: the network's arithmetic, or waiting for the device.
  // `asking`: the other share of answers, which is proofs, canonical forms, the cache, encoding. The rest of `working` is
  // the tree and the bookkeeping of games. `paused`: waiting for the learner.
  double working = 0, network = 0, asking = 0, paused = 0;
  SelfPlayCounts& operator+=(const SelfPlayCounts& other);
  SelfPlayCounts operator-(const SelfPlayCounts& earlier) const;
  // All of them in a fixed order, to send them elsewhere. Numbers that are missing or left over are ignored.
  std::vector<double> figures() const;
  static SelfPlayCounts of_figures(const std::vector<double>& figures);
};

// What a configuration may need beside a network. Both must outlive the games.
struct SearchAids {
  const Prover* prover = nullptr;  // for search.proof_nodes
  Oracle* oracle = nullptr;        // for search.oracle_squares
};

struct SelfPlaySettings {
  std::uint64_t seed = 1;
  Rules rules = Rules::lines;
  SearchConfig search;
  SelfPlayConfig play;
  SearchAids aids{};
};

// Not thread-safe.
class SelfPlayWorker {
 public:
  // Returns the number of the next game to play, or nothing when no more games are wanted.
  using NextGame = std::function<std::optional<std::uint64_t>()>;
  using GameOver = std::function<void(GameRecord)>;

  SelfPlayWorker(const SelfPlaySettings& settings, NextGame next, GameOver over);
  ~SelfPlayWorker();

  // A step in two halves. gather() runs every game until it needs the batch to be computed, and submits it; it returns
  // false when no game is left. scatter() hands the results to the games. A device can compute in between.
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

// The workers of one thread and one version of the weights, each with its own batch. Not thread-safe.
class WorkerGroup {
 public:
  // The evaluator must outlive it. It proves with settings.aids.prover. Throws what the evaluator's new_batch() throws.
  WorkerGroup(const SelfPlaySettings& settings, Evaluator& evaluator, const SelfPlayWorker::NextGame& next,
              const SelfPlayWorker::GameOver& over);
  // One step of the worker whose batch was submitted first: it takes the results and submits its next batch. Returns
  // false when no worker has a game left.
  bool step();
  SelfPlayCounts counts() const;

 private:
  struct Member {
    std::unique_ptr<SelfPlayWorker> worker;
    std::unique_ptr<EvaluationBatch> batch;
    bool submitted = false;
  };
  std::optional<ProvingEvaluator> proving_;
  std::vector<Member> members_;
  std::size_t turn_ = 0;
  double working_ = 0;
};

// Adds the seconds that the call takes to `sum`.
template <class Call>
auto timed(double& sum, const Call& call) {
  struct Timer {
    double& sum;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Timer() { sum += seconds_since(start); }
  } timer{sum};
  return call();
}

}  // namespace quarto
