#include "train/machine.h"

#include <fmt/format.h>

#include <bit>

#include "base/cores.h"
#include "gpu/cuda.h"
#include "model/runtime.h"
#include "train/learner.h"

namespace quarto {

Machine this_machine(const RunConfig& run) {
  const std::string device = resolve_device(run.device);
  if (device == "cpu") return {.cores = usable_cores()};
  Machine machine{.cores = usable_cores(), .learns_on_gpu = learning_device(run) != "cpu"};
  try {
    machine.multiprocessors = gpu::Device::open(device_number(device))->processors();
  } catch (const gpu::CudaError&) {
    // Why, says who loads the kernels. LibTorch may compute all the same.
    constexpr int kOfALargeCard = 100;
    machine.multiprocessors = kOfALargeCard;
  }
  return machine;
}

RunConfig for_machine(RunConfig run, const Machine& machine) {
  if (machine.multiprocessors == 0) return run;
  SelfPlayConfig& play = run.selfplay;
  if (run.limits.mode == RunMode::concurrent && play.threads == 0 && run.learner.threads == 0) {
    if (!machine.learns_on_gpu) run.learner.threads = learner_share(machine.cores);
    play.threads = std::max(1, machine.cores - std::max(1, run.learner.threads));
  }
  if (play.batches_in_flight == 0) play.batches_in_flight = 3;
  if (play.games_in_flight == 0) {
    constexpr int kPositionsAMultiprocessor = 16, kFewest = 16, kMost = 1024;
    const int threads = play.threads > 0 ? play.threads : machine.cores;
    const int games = std::clamp(kPositionsAMultiprocessor * machine.multiprocessors / threads, kFewest, kMost);
    // The nearest one: between two, three quarters of the larger.
    play.games_in_flight = static_cast<int>(std::bit_floor(static_cast<unsigned>(games + games / 3)));
  }
  return run;
}

std::string chosen_for(const RunConfig& given, const RunConfig& run, const Machine& machine) {
  std::string text;
  if (run.selfplay.threads != given.selfplay.threads) {
    text = fmt::format("{} threads of self-play: the other cores are the learner's (selfplay.threads, learner.threads)",
                       run.selfplay.threads);
  }
  if (run.selfplay.games_in_flight != given.selfplay.games_in_flight ||
      run.selfplay.batches_in_flight != given.selfplay.batches_in_flight) {
    text += fmt::format(
        "{}{} groups of {} games in each thread, for {} multiprocessors (selfplay.batches_in_flight, "
        "selfplay.games_in_flight)",
        text.empty() ? "" : "; ", run.selfplay.batches_in_flight, run.selfplay.games_in_flight,
        machine.multiprocessors);
  }
  return text;
}

}  // namespace quarto
