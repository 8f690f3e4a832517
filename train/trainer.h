// The loop: self-play, learning, now and then an evaluation and a checkpoint.
//
// A run is a directory:
//
//     config.yaml            the effective configuration
//     checkpoint/            everything needed to go on exactly: weights, optimizer, progress, random state
//     best/                  the weights that won their match against the ones before them; what to use
//     archive/iteration-N/   weights kept for good, if asked for
//     replay/                the samples of the window, a shard for each iteration
//     metrics.jsonl, tensorboard/, train.log
//
// checkpoint/ and best/ are replaced whole, so that a crash at any instant leaves the old or the new one. With one
// thread, on the CPU, and limits in iterations, a run that is killed and resumed ends with the same weights, byte for
// byte, as one that was not: self-play seeds follow from the game's number, and the learner's random state is saved.
//
// The run's iteration is the unit of all that: `games` games of self-play, then as many learning steps as `reuse` asks
// for. In concurrent mode the games come from threads that never stop, and exactness is given up.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "env/evaluator.h"
#include "env/oracle.h"
#include "train/config.h"
#include "train/run_directory.h"

namespace quarto {

// Measurements the trainer wants but may not make itself, since what they need stands above it. They see evaluators and
// give back numbers; nothing flows back into training, except that `compare` decides which weights are called best.
struct TrainHooks {
  // {"decisive": share, "deep": share, ...}; empty: no such measurement.
  std::function<nlohmann::json(Evaluator&, const RunConfig&)> measure;
  // The candidate's score 0..1 in games against the best so far; empty: the newest weights are the best.
  std::function<double(Evaluator& candidate, Evaluator& best, const RunConfig&, std::uint64_t seed)> compare;
};

struct TrainOptions {
  std::filesystem::path out;
  bool resume = false;
  bool quiet = false;
  // Set from a signal handler: the run stops at the next point where nothing is lost, and writes a checkpoint.
  const std::atomic<bool>* stop = nullptr;
  // Needed if and only if config.search.oracle_squares is above zero, which only a `distilled` run may have.
  Oracle* oracle = nullptr;
};

struct TrainResult {
  std::uint64_t iterations = 0, games = 0, samples = 0, steps = 0;
  double seconds = 0;
  bool finished = false;  // false: stopped before a limit was reached
};

TrainResult train(const RunConfig& config, const TrainOptions& options, const TrainHooks& hooks);

}  // namespace quarto
