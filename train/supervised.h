// The loop of `quartozero distill`: learning steps on labels, now and then a measurement and a checkpoint.
//
// It takes a run's configuration: `network`, `learner`, `evaluation` (every, positions, simulations), `seed`, `device`
// and the limits `limits.minutes` and `limits.iterations`, an iteration being kStepsPerIteration learning steps. The
// run directory is that of `train` without a replay buffer; `best/` holds the averaged weights at the last checkpoint.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "env/evaluator.h"
#include "train/config.h"

namespace quarto {

inline constexpr int kStepsPerIteration = 100;

struct DistillOptions {
  std::filesystem::path out;
  std::vector<std::filesystem::path> labels;
  bool resume = false;
  bool quiet = false;
  const std::atomic<bool>* stop =
      nullptr;  // set from a signal handler: stop within kStepsPerIteration steps, with a checkpoint
  // Shares by name, e.g. {"decisive": 0.9}; empty: nothing is measured.
  std::function<nlohmann::json(Evaluator&)> measure;
};

struct DistillResult {
  std::uint64_t steps = 0, samples = 0, labels = 0;
  double seconds = 0;
  bool finished = false;
  nlohmann::json agreement;
};

// Throws RunError (a directory in use, or that of something else, or without its checkpoint), LabelError,
// CheckpointError, FileError, ConfigError.
DistillResult distill(const RunConfig& config, const DistillOptions& options);

}  // namespace quarto
