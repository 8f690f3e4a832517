// quartozero bench selfplay CONFIG: what a training run does, without its evaluations and checkpoints: how much of
// everything a second and a CPU-second, where the time goes, and what limits it.
#include "bench/selfplay.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/progress.h"
#include "base/scratch_directory.h"
#include "bench/bench.h"
#include "cli/finite_range.h"
#include "cli/set_options.h"
#include "data/replay.h"
#include "model/evaluators.h"
#include "model/runtime.h"
#include "selfplay/local_games.h"
#include "selfplay/playing_evaluator.h"
#include "solver/prover.h"
#include "train/actor.h"
#include "train/config.h"
#include "train/learner.h"
#include "train/machine.h"
#include "train/throughput.h"

namespace quarto::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct SelfplayOptions {
  std::string config, checkpoint;
  std::vector<std::string> set;
  double seconds = 20;
  bool learn = true, compare = true;
};

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

// The share of the last moment in which the GPU was computing, in percent, as its driver's own tool says; nothing if
// there is no such tool.
std::optional<double> gpu_busy_now() {
  FILE* tool = popen("nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits 2> /dev/null", "r");
  if (tool == nullptr) return std::nullopt;
  double percent = 0;
  const bool read = std::fscanf(tool, "%lf", &percent) == 1;
  const int status = pclose(tool);
  if (!read || status != 0) return std::nullopt;
  return percent;
}

// Simulations that moves ask for, those kept from the move before included.
double visits(const SelfPlayConfig& play, const SelfPlayCounts& c) {
  return static_cast<double>(c.moves) *
         (play.full_share * play.simulations + (1 - play.full_share) * play.fast_simulations);
}

struct Measured {
  SelfPlayCounts counts;
  double wall = 0, processor = 0, playing = 0, learning = 0;
  std::uint64_t steps = 0, iterations = 0;
  double memory_first = 0, memory_last = 0;  // MiB, after the first and the last iteration
  double gpu_busy = 0;                       // sum of samples, percent
  int gpu_samples = 0;
  std::string evaluated_by;
};

// Iterations as the trainer makes them: games, then as many learning steps as they pay for. The first one warms up.
Measured measure(const RunConfig& config, const SelfplayOptions& o) {
  const ScratchDirectory scratch("bench");
  ReplayBuffer replay(scratch.path(), static_cast<std::size_t>(config.replay.window));
  const std::unique_ptr<Learner> learner = make_learner(config);
  if (!o.checkpoint.empty()) learner->load_weights(o.checkpoint);
  const int threads = config.selfplay.thread_count();
  const bool on_gpu = resolve_device(config.device) != "cpu";
  const bool in_turn = config.limits.mode == RunMode::alternating;
  const auto games = static_cast<std::uint64_t>(config.limits.games);
  Rng draw(config.seed);
  LocalGames source(self_play_settings(config, {.prover = &solver_prover()}), threads, in_turn, {});
  Measured m;
  const auto publish = [&](std::uint64_t version) {
    // Beside the learner: those in flight, and two iterations that have ended.
    const std::uint64_t ahead = in_turn ? 0 : games + config.selfplay.games_at_once();
    source.publish({.version = version, .games = games + ahead, .evaluator = [&] {
                      auto network = learner->make_evaluator(config.selfplay.precision);
                      m.evaluated_by = network->computed_by();
                      return std::make_shared<PlayingEvaluator>(std::move(network), config.selfplay, threads,
                                                                playing_seed(config.seed, version));
                    }});
  };

  Clock::time_point start = Clock::now();
  double processor = cpu_seconds();
  Progress progress("measuring", static_cast<std::uint64_t>(o.seconds + 0.5), "s");
  for (std::uint64_t iteration = 1;; ++iteration) {
    const auto playing = Clock::now();
    if (in_turn || iteration == 1) publish(iteration - 1);
    std::optional<PlayedGames> played = source.take(config.limits.games, [](int, const StoreFigures*) { return true; });
    const double played_for = seconds_since(playing);
    const auto learning = Clock::now();
    Shard shard;
    shard.games = played->games.size();
    for (const GameRecord& game : played->games) {
      shard.samples.insert(shard.samples.end(), game.samples.begin(), game.samples.end());
    }
    const auto fresh = static_cast<double>(shard.samples.size());
    replay.append(iteration, std::move(shard));
    replay.remove_dropped();
    const int steps = std::max(1, static_cast<int>(config.learner.reuse * fresh / config.learner.batch + 0.5));
    if (o.learn && replay.size() > 0) learner->steps(steps, replay, draw, 0.1 * config.learner.learning_rate);
    if (!in_turn) publish(iteration);
    const double learned_for = seconds_since(learning);
    if (iteration == 1) {
      start = Clock::now();
      processor = cpu_seconds();
      m.memory_first = resident_mib();
      continue;
    }
    m.counts += played->counts;
    m.playing += played_for;
    m.learning += o.learn ? learned_for : 0;
    m.steps += o.learn ? static_cast<std::uint64_t>(steps) : 0;
    m.iterations = iteration - 1;
    m.wall = seconds_since(start);
    m.processor = cpu_seconds() - processor;
    m.memory_last = resident_mib();
    // In alternating mode the device is idle just now, and nothing is asked.
    if (on_gpu && !in_turn) {
      if (const auto busy = gpu_busy_now()) {
        m.gpu_busy += *busy;
        ++m.gpu_samples;
      }
    }
    progress.update(static_cast<std::uint64_t>(std::min(m.wall, o.seconds)));
    if (m.wall >= o.seconds) return m;
  }
}

void print(const RunConfig& config, const SelfplayOptions& o, const Measured& m) {
  const SelfPlayCounts& c = m.counts;
  const int threads = config.selfplay.thread_count();
  const std::string device = resolve_device(config.device);
  const NetworkConfig net = config.network.resolved();
  fmt::print("network {} (width {}, blocks {}), {} simulations a move, {} games in flight x {} threads, {}\n",
             name_of(net.kind), net.width, net.blocks, config.selfplay.simulations,
             config.selfplay.games_a_group() * config.selfplay.groups_a_thread(), threads, m.evaluated_by);
  fmt::print("{} iterations of {} games in {:.1f} s of wall time, {:.1f} CPU-s; {}\n\n", m.iterations,
             config.limits.games, m.wall, m.processor,
             o.learn
                 ? fmt::format("learning included: {:.1f} s, {} steps of {}", m.learning, m.steps, config.learner.batch)
                 : "without learning");
  fmt::print("{:<34} {:>14} {:>16}\n", "", "a second", "a CPU-second");
  const auto row = [&](const char* what, double n) {
    fmt::print("{:<34} {:>14.1f} {:>16.1f}\n", what, n / m.wall, n / m.processor);
  };
  row("games", static_cast<double>(c.games));
  row("moves", static_cast<double>(c.moves));
  row("simulations", static_cast<double>(c.simulations));
  row("visits (moves x simulations)", visits(config.selfplay, c));
  row("evaluations", static_cast<double>(c.evaluations));
  const auto per = [](std::uint64_t a, std::uint64_t b) {
    return b ? static_cast<double>(a) / static_cast<double>(b) : 0.0;
  };
  fmt::print(
      "\nnew simulations a move             {:>14.1f}   (the others were kept from the move before, or not needed)\n",
      per(c.simulations, c.moves));
  fmt::print("evaluations a simulation           {:>14.2f}\n", per(c.evaluations, c.simulations));
  fmt::print("answered by the cache              {:>13.1f}%   ({:.1f}% remembered, {:.1f}% shared in the batch)\n",
             100 * cache_share(c), 100 * per(c.known, c.known + c.shared + c.evaluations),
             100 * per(c.shared, c.known + c.shared + c.evaluations));
  fmt::print("batch                              {:>14.1f}   ({:.0f}% full)\n", per(c.evaluations, c.batches),
             100 * batch_fill(c));
  const TimeShares s = time_shares(c);
  fmt::print(
      "self-play threads' time            network {:.0f}%, tree {:.0f}%, proofs and cache {:.0f}%, waiting for the "
      "learner {:.0f}%\n",
      100 * s.network, 100 * s.tree, 100 * s.asking, 100 * s.paused);
  if (config.limits.mode != RunMode::concurrent) {
    const double idle = 1 - c.working / (threads * m.playing);
    fmt::print("threads without a game             {:>13.1f}%   (the end of an iteration)\n",
               100 * std::max(0.0, idle));
    if (o.learn)
      fmt::print("learning                           {:>13.1f}%   of the wall time\n", 100 * m.learning / m.wall);
  }
  fmt::print(
      "memory                             {:>10.0f} MiB   ({:+.0f} since the first iteration; the replay window "
      "fills with {} MiB)\n",
      m.memory_last, m.memory_last - m.memory_first,
      static_cast<std::size_t>(config.replay.window) * sizeof(Sample) / (1024 * 1024));
  const bool in_turn = o.learn && config.limits.mode != RunMode::concurrent;
  if (m.gpu_samples > 0)
    fmt::print("the GPU computed                   {:>13.1f}%   of the time\n", m.gpu_busy / m.gpu_samples);
  fmt::print("\n{}\n", bottleneck(c, device != "cpu", in_turn ? m.playing : 0, in_turn ? m.learning : 0));
}

// The same run on the processor alone, as one would configure it there.
RunConfig without_gpu(RunConfig config) {
  config.device = config.learner.device = "cpu";
  config.selfplay.batches_in_flight = config.selfplay.games_in_flight = 0;
  config.learner.threads = 0;
  return config;
}

void run_selfplay(const SelfplayOptions& o) {
  const RunConfig given = load_run_config(o.config, o.set), config = for_machine(given, this_machine(given));
  if (config.search.oracle_squares > 0) throw ConfigError("bench selfplay has no oracle: set search.oracle_squares=0");
  const Measured m = measure(config, o);
  print(config, o, m);
  if (!o.compare || resolve_device(config.device) == "cpu") return;
  const RunConfig cpu = without_gpu(given);
  fmt::print("\n--- the same on the processor alone\n\n");
  const Measured beside = measure(cpu, o);
  print(cpu, o, beside);
  fmt::print("\n{:<34} {:>14} {:>14} {:>8}\n", "a second", "with the GPU", "processor", "ratio");
  const auto row = [&](const char* what, double gpu, double processor) {
    fmt::print("{:<34} {:>14.1f} {:>14.1f} {:>8.2f}\n", what, gpu / m.wall, processor / beside.wall,
               gpu / m.wall / (processor / beside.wall));
  };
  const SelfPlayCounts &a = m.counts, &b = beside.counts;
  row("games", static_cast<double>(a.games), static_cast<double>(b.games));
  row("simulations", static_cast<double>(a.simulations), static_cast<double>(b.simulations));
  row("visits (moves x simulations)", visits(config.selfplay, a), visits(cpu.selfplay, b));
  row("evaluations", static_cast<double>(a.evaluations), static_cast<double>(b.evaluations));
}

}  // namespace

RunSpeed run_speed(RunConfig config, const std::string& checkpoint, double seconds) {
  // The first iteration only warms up: without a limit it would take longer than a short measurement.
  config.limits.games = std::min({config.limits.games, 500, std::max(50, static_cast<int>(25 * seconds))});
  SelfplayOptions options;
  options.checkpoint = checkpoint;
  options.seconds = seconds;
  const Measured m = measure(for_machine(config, this_machine(config)), options);
  return {static_cast<double>(m.counts.games) / m.wall, m.evaluated_by};
}

void add_selfplay(CLI::App& bench) {
  auto options = std::make_shared<SelfplayOptions>();
  CLI::App* command = bench.add_subcommand("selfplay", "a training run's throughput, and what limits it");
  command->add_option("CONFIG", options->config, "YAML file with the run's parameters, e.g. configs/demo.yaml")
      ->required();
  add_set_options(*command, options->set);
  command->add_option("--checkpoint", options->checkpoint,
                      "weights to play with; without, fresh ones, whose games are much like random ones");
  command->add_option("--seconds", options->seconds, "wall time to measure for, after a first iteration")
      ->check(FiniteRange(0.001, 86'400.0))
      ->capture_default_str();
  command->add_flag_callback(
      "--no-learning", [options] { options->learn = false; }, "self-play alone");
  command->add_flag_callback(
      "--no-compare", [options] { options->compare = false; },
      "on a GPU: do not measure the same on the processor alone");
  command->callback([options] { run_selfplay(*options); });
}

}  // namespace quarto::bench
