// The training loop: self-play, learning, and at intervals an evaluation and a checkpoint.
//
// A run is a directory:
//
//     config.yaml            the effective configuration
//     config-until-N.yaml    what it was until iteration N, if the run was resumed with another one then
//     checkpoint/            everything that exact resume needs: weights, optimizer, progress, random state
//     best/                  the weights that passed the last match against the best before them; use these
//     archive/iteration-N/   permanent copies of the weights, if limits.archive_every is set
//     replay/                the replay buffer, one shard per iteration
//     metrics.jsonl, tensorboard/, train.log
//
// The trainer replaces checkpoint/ and best/ as a whole, so a crash at any instant leaves the old or the new one. With
// one thread, on the CPU, and limits in iterations, a run that is killed and resumed ends with the same weights, byte
// for byte, as an uninterrupted one: self-play seeds follow from the game's number, and the learner's random state is
// saved.
//
// An iteration is `games` games of self-play and then as many learning steps as `reuse` requires; the promises above
// hold between iterations. In concurrent mode the games come from threads that never stop, and resume is not exact.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/json_library.h"
#include "env/evaluator.h"
#include "selfplay/games.h"
#include "store/store.h"
#include "train/config.h"
#include "train/run_directory.h"

namespace quarto {

// Measurements that the trainer uses and that later parts implement. They get evaluators and return numbers. Training
// uses none of these numbers, except that `compare` decides which weights are the best.
struct TrainHooks {
  // Returns what the line of metrics.jsonl gets: {"agreement": {"decisive": share, "deep": share, ...}}, and beside it
  // what else was measured. If it is empty, nothing is measured.
  std::function<nlohmann::json(Evaluator&, const RunConfig&)> measure;
  // Returns the candidate's score 0..1 in games against the best so far. If it is empty, the newest weights are the
  // best.
  std::function<double(Evaluator& candidate, Evaluator& best, const RunConfig&, std::uint64_t seed)> compare;
};

// Games from actors elsewhere, instead of self-play in this process (selfplay/collector.h).
//
// In alternating mode an iteration learns from the games with the numbers that it would play itself, all of them with
// the weights before it: where games are the same on all machines, so is the run, whoever plays them. In concurrent
// mode it learns from the first games that come, and actors play on meanwhile.
struct StoreOptions {
  std::function<std::unique_ptr<store::Store>()> connect;
  std::string version;        // of this program
  std::uint64_t max_lag = 8;  // concurrent mode: games are dropped whose weights are older, in iterations
  // Concurrent mode: games that may wait or be played beyond those of the iteration; 0: as many as two iterations have.
  int ahead = 0;
  // Ticks that a lease lives when its actor does not renew it, which it does every two seconds.
  std::uint64_t patience = 30;
  double tick = 1;  // seconds
};

struct TrainOptions {
  std::filesystem::path out;
  bool resume = false;
  bool quiet = false;
  // Set from a signal handler: the run stops as soon as it can write a checkpoint. Games of an unfinished iteration are
  // abandoned, and played again by a resumed run.
  const std::atomic<bool>* stop = nullptr;
  // The same, but the iteration is finished first, and in alternating mode nothing is lost. In concurrent mode without
  // a store the threads have played on: games that no iteration has taken are abandoned, and played again by a resumed
  // run.
  const std::atomic<bool>* stop_after_iteration = nullptr;
  // The oracle is required if config.search.oracle_squares is above zero, which only a `distilled` run may set, the
  // prover if config.search.proof_nodes is.
  SearchAids aids{};
  std::optional<StoreOptions> store{};
};

struct TrainResult {
  std::uint64_t iterations = 0, games = 0, samples = 0, steps = 0;
  double seconds = 0;
  bool finished = false;             // false: stopped before a limit was reached
  bool nothing_left = false;         // resumed after its end: nothing was done
  int abandoned_games = 0;           // that had ended, and that no iteration took
  std::uint64_t best_iteration = 0;  // that the best weights are of; 0: those that it began with
};

// Throws RunError, ConfigError, FileError, CheckpointError, ReplayError, ThreadError, DivergedError (train/learner.h),
// and with a store StoreError.
TrainResult train(const RunConfig& config, const TrainOptions& options, const TrainHooks& hooks);

}  // namespace quarto
