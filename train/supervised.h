// The loop of `quartozero distill`: learning steps on labels, and at intervals a measurement and a checkpoint.
//
// It uses these keys of a run's configuration: `weights`, `network`, `learner`, `labels`, `evaluation` (every,
// positions, simulations), `seed`, `device`, `limits.minutes` and `limits.iterations`. An iteration is
// kStepsPerIteration learning steps. The run directory has the files of `train` without a replay buffer; `best/` holds
// the averaged weights of the last checkpoint.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/json_library.h"
#include "env/evaluator.h"
#include "train/config.h"

namespace quarto {

inline constexpr int kStepsPerIteration = 100;

struct DistillOptions {
  std::filesystem::path out;
  std::vector<std::filesystem::path> labels;
  bool resume = false;
  bool quiet = false;
  double save_every = 60;  // seconds between checkpoints; 0: after each iteration
  // Set from a signal handler: stop within kStepsPerIteration steps, with a checkpoint.
  const std::atomic<bool>* stop = nullptr;
  // As TrainHooks::measure (train/trainer.h).
  std::function<nlohmann::json(Evaluator&)> measure;
};

struct DistillResult {
  std::uint64_t iterations = 0, steps = 0, samples = 0, labels = 0;
  double seconds = 0;
  bool finished = false;      // false: stopped before a limit was reached
  bool nothing_left = false;  // resumed after its end: nothing was done
  nlohmann::json agreement;
};

// Throws RunError (the directory is in use, holds another kind of run, lacks its checkpoint, or is of a run that learns
// from other labels), LabelError, CheckpointError, FileError, ConfigError.
DistillResult distill(const RunConfig& config, const DistillOptions& options);

}  // namespace quarto
