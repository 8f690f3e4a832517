// quartozero signature: a few numbers for what a fixed seed does, so that a change of behaviour is seen.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "app/commands.h"
#include "app/output_file.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/scratch_directory.h"
#include "base/shipped.h"
#include "env/random_play.h"
#include "light/evaluator.h"
#include "light/network_file.h"
#include "model/runtime.h"
#include "play/think.h"
#include "solver/prover.h"
#include "solver/solver.h"
#include "train/config.h"
#include "train/trainer.h"

namespace quarto::app {
namespace {

// Everything that goes into a number, as bytes.
class Sum {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    crc_ = crc32c({bytes, sizeof(T)}, crc_);
  }
  void add_bytes(std::string_view bytes) { crc_ = crc32c(bytes, crc_); }
  std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

struct Part {
  std::string name, what;
  bool everywhere;  // the same on every machine; else it depends on the build's floating point
  std::uint32_t value;
};

Part of_solver() {
  Sum sum;
  SolverOptions options;
  options.table_bytes = std::size_t{4} << 20;
  std::uint64_t nodes = 0;
  for (const Rules rules : kAllRules) {
    Solver solver(options);
    Rng rng(1);
    for (int i = 0; i < 40; ++i) {
      const MoveSolution found = solver.solve_moves(random_quiet_position_at(14 + i % 12, rng, rules));
      nodes += found.stats.nodes;
      for (const auto& value : found.values) sum.add(value ? static_cast<std::int32_t>(*value) : 9);
      sum.add(found.stats.nodes);
    }
  }
  return {"solver", fmt::format("values and nodes of 80 positions, {} nodes", nodes), true, sum.value()};
}

Part of_proofs() {
  Sum sum;
  int known = 0;
  for (const Rules rules : kAllRules) {
    Rng rng(2);
    for (int i = 0; i < 300; ++i) {
      const ValueBounds found = solver_prover().bounds(random_quiet_position_at(12 + i % 14, rng, rules), 300);
      known += !found.trivial();
      sum.add(static_cast<std::int32_t>(found.low));
      sum.add(static_cast<std::int32_t>(found.high));
    }
  }
  return {"proofs", fmt::format("bounds of 600 positions with 300 nodes, {} not trivial", known), true, sum.value()};
}

Part of_search(const std::string& name, const std::string& with, Evaluator& evaluator) {
  Sum sum;
  Rng rng(3);
  ThinkLimits limits;
  limits.simulations = 64;
  constexpr int kPositions = 60;
  for (int i = 0; i < kPositions; ++i) {
    const Thought thought = think(evaluator, random_quiet_position_at(4 + i % 22, rng), limits);
    for (const RootMove& move : thought.moves) {
      sum.add(static_cast<std::int32_t>(move.move.index));
      sum.add(static_cast<std::int32_t>(move.visits));
    }
  }
  return {name, fmt::format("visits of {} searches with 64 simulations, {}", kPositions, with), true, sum.value()};
}

Part of_network(Evaluator& evaluator) {
  const std::vector<Position> positions = unfinished_positions(500, Rules::lines, 4);
  std::vector<Evaluation> found(positions.size());
  evaluate(evaluator, positions, found);
  Sum sum;
  for (const Evaluation& e : found) {
    for (const float p : e.prior) sum.add(p);
    sum.add(e.win);
    sum.add(e.draw);
    sum.add(e.loss);
  }
  return {"network", "what the shipped network small says of 500 positions, to the last bit", true, sum.value()};
}

RunConfig small_run() {
  RunConfig config;
  config.device = "cpu";
  config.network.blocks = 1;
  config.selfplay.games_in_flight = 16;
  config.selfplay.simulations = 16;
  config.selfplay.threads = 1;
  config.learner.threads = 1;
  config.learner.batch = 64;
  config.limits.iterations = 3;
  config.limits.games = 12;
  config.evaluation.every = 1;
  config.evaluation.match_games = 0;
  return config;
}

std::uint32_t sum_of_run(const std::filesystem::path& run) {
  Sum sum;
  sum.add_bytes(read_file(run / "best" / "model.safetensors"));
  std::vector<std::filesystem::path> shards;
  for (const auto& entry : std::filesystem::directory_iterator(run / "replay")) {
    if (entry.is_regular_file()) shards.push_back(entry.path());
  }
  std::sort(shards.begin(), shards.end());
  for (const auto& shard : shards) sum.add_bytes(read_file(shard));
  return sum.value();
}

// Three iterations, once in one piece and once stopped after the first. Throws Failed if they end differently.
Part of_training() {
  const ScratchDirectory scratch("signature");
  const RunConfig config = small_run();
  TrainOptions options{.out = scratch / "straight", .quiet = true, .aids = {&solver_prover(), nullptr}};
  train(config, options, {});
  const std::uint32_t straight = sum_of_run(options.out);

  std::atomic<bool> stop = false;
  TrainHooks stopping;
  stopping.measure = [&stop, measurements = 0](Evaluator&, const RunConfig&) mutable {
    stop = ++measurements == 2;  // the first is before the first iteration
    return nlohmann::json{{"agreement", nlohmann::json::object()}};
  };
  options.out = scratch / "stopped";
  options.stop = &stop;
  if (train(config, options, stopping).finished) throw Failed("quartozero: error: the run could not be interrupted");
  stop = false;
  options.resume = true;
  train(config, options, {});
  if (const std::uint32_t resumed = sum_of_run(options.out); resumed != straight) {
    throw Failed(
        fmt::format("quartozero: error: a run that was interrupted and resumed ends with {:08x}, an uninterrupted one "
                    "with {:08x}: resume is not exact in this build",
                    resumed, straight));
  }
  return {"training", "weights and games of three iterations; interrupted and resumed, the same", false, straight};
}

void run_signature(bool json) {
  configure_torch(1);
  std::vector<Part> parts = {of_solver(), of_proofs()};
  UniformEvaluator uniform;
  parts.push_back(of_search("search", "without a network", uniform));
  const auto file = find_shipped("checkpoints/small/model.light");
  if (!file) throw FileError("checkpoints/small/model.light was not found: the signature needs the shipped networks");
  PairsEvaluator small(light::load_network_file(*file).kernel);
  parts.push_back(of_network(small));
  parts.push_back(of_search("player", "with the network small", small));
  parts.push_back(of_training());

  Sum everywhere, all;
  for (const Part& part : parts) {
    if (part.everywhere) everywhere.add(part.value);
    all.add(part.value);
  }
  const std::string build = fmt::format("compiler {}, LibTorch {}", __VERSION__, torch_info().version);
  if (json) {
    nlohmann::ordered_json out;
    for (const Part& part : parts) out[part.name] = fmt::format("{:08x}", part.value);
    out["everywhere"] = fmt::format("{:08x}", everywhere.value());
    out["signature"] = fmt::format("{:08x}", all.value());
    out["build"] = build;
    print_json(out);
    return;
  }
  for (const Part& part : parts) fmt::print("{:<10} {:08x}  {}\n", part.name, part.value, part.what);
  fmt::print("\neverywhere {:08x}  solver, proofs and players: the same on every machine\n", everywhere.value());
  fmt::print("signature  {:08x}  all of it: the same for one build on one kind of processor ({})\n", all.value(),
             build);
}

}  // namespace

void add_signature(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("signature", "print a number for what fixed seeds do, to see a change of behaviour");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "one line of JSON");
  add_idle_seed(*command);
  command->footer(
      "Solves, searches, evaluates, and trains three small iterations, twice: once interrupted and resumed. Builds\n"
      "that compute the same have the same signature. A change that is not meant to change what is computed leaves it\n"
      "as it was; any other change states the new number in CHANGELOG.md.\n"
      "\n"
      "Example:\n"
      "  quartozero signature        before a change, and after it");
  command->callback([json] { run_signature(*json); });
}

}  // namespace quarto::app
