// How a run divides a machine with a GPU: its cores between self-play and learning, and the games in flight.
#pragma once

#include <algorithm>
#include <string>

#include "train/config.h"

namespace quarto {

// Of so many cores, those of a learner on the processor beside self-play on a GPU (docs/experiments/gpu-h200.md).
constexpr int learner_share(int cores) { return std::max(1, cores * 7 / 16); }

struct Machine {
  int cores = 1;
  int multiprocessors = 0;  // of the GPU that evaluates self-play; 0: none does
  bool learns_on_gpu = false;
};
// Throws DeviceError.
Machine this_machine(const RunConfig& run);

// The run with numbers in the place of zeros, where a GPU evaluates:
// - selfplay.threads and learner.threads, if self-play and learning run at the same time: a learner on a GPU has one of
//   the cores
// - selfplay.batches_in_flight: 3
// - selfplay.games_in_flight: a power of two such that the batches of all threads, one of each, are about 16 positions for
//   each multiprocessor, as on the H200 where it was measured (docs/experiments/gpu-h200.md); where self-play and learning
//   take turns about limits.games altogether at most; at least 16
RunConfig for_machine(RunConfig run, const Machine& machine);
// What for_machine() has chosen and why, a sentence; "" if nothing.
std::string chosen_for(const RunConfig& given, const RunConfig& run, const Machine& machine);

}  // namespace quarto
