#include "train/machine.h"

#include <fmt/format.h>

#include <bit>

#include "base/cores.h"
#include "gpu/cuda.h"
#include "gpu/evaluator.h"
#include "gpu/program.h"
#include "model/runtime.h"
#include "train/learner.h"

namespace quarto {
namespace {

// 0: none that can evaluate the network. Loading the kernels reports the reason.
int usable_multiprocessors(const NetworkConfig& network, int number) {
  const bool by_kernels = network.kind == NetworkKind::pairs;
  if (by_kernels && !gpu::kernels_wanted()) return 0;
  try {
    const auto device = gpu::Device::open(number);
    const bool fits = !by_kernels || network.width <= gpu::widest_network(*device, network.rules);
    return fits ? device->processors() : 0;
  } catch (const gpu::CudaError&) {
    return 0;
  }
}

}  // namespace

Machine this_machine(const RunConfig& run) {
  const std::string device = resolve_device(run.device);
  if (device == "cpu") return {.cores = usable_cores()};
  return {.cores = usable_cores(),
          .multiprocessors = usable_multiprocessors(run.network.resolved(), device_number(device)),
          .learns_on_gpu = learning_device(run) != "cpu"};
}

RunConfig for_machine(RunConfig run, const Machine& machine) {
  if (machine.multiprocessors == 0) return run;
  SelfPlayConfig& play = run.selfplay;
  const bool in_turn = run.limits.mode == RunMode::alternating;
  if (!in_turn && play.threads == 0 && run.learner.threads == 0) {
    if (!machine.learns_on_gpu) run.learner.threads = learner_share(machine.cores);
    play.threads = std::max(1, machine.cores - std::max(1, run.learner.threads));
  }
  if (play.batches_in_flight == 0) play.batches_in_flight = 3;
  if (play.games_in_flight == 0) {
    constexpr int kPositionsAMultiprocessor = 16, kFewest = 16, kMost = 1024;
    const int threads = play.threads > 0 ? play.threads : machine.cores;
    int games = kPositionsAMultiprocessor * machine.multiprocessors / threads;
    if (in_turn) games = std::min(games, run.limits.games / (threads * play.batches_in_flight));
    games = std::clamp(games, kFewest, kMost);
    // To a power of two, up from three quarters of it.
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
