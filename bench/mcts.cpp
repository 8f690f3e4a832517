// quartozero bench mcts: simulations per CPU-second of one core with an evaluator that costs nothing (the uniform
// stub), over self-play games from the empty board with 100 simulations a move, noise, temperature and tree reuse: what
// the search itself costs. One game at a time, and many side by side as self-play runs them.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/random.h"
#include "bench/bench.h"
#include "cli/finite_range.h"
#include "mcts/rollout.h"
#include "mcts/search.h"
#include "solver/prover.h"

namespace quarto::bench {
namespace {

struct MctsArguments {
  std::uint64_t seed = 1;
  int simulations = 100;
  double seconds = 3;
  bool noise = true;
  std::vector<std::string> search;
};

struct Count {
  std::uint64_t simulations = 0, evaluations = 0, moves = 0, games = 0;
  std::size_t bytes = 0;
  double seconds = 0;
};

// `side_by_side` games at a time; a game that ends is replaced by a new one in the same memory.
Count self_play(Evaluator& evaluator, int side_by_side, const MctsArguments& options) {
  SearchConfig config;
  config.proof_nodes = 0;  // a prover's time is not the tree's; --search has the last word
  for (const std::string& s : options.search) config::set(s, config::visitor_of(config), "--search");
  Rng rng(options.seed);
  std::vector<Search> games;
  std::vector<Search*> pointers;
  for (int i = 0; i < side_by_side; ++i)
    games.emplace_back(config, mix_seed(options.seed, static_cast<std::uint64_t>(i)));
  for (Search& g : games) pointers.push_back(&g);
  const auto batch = ProvingEvaluator(evaluator, solver_prover()).new_batch();
  Count count;
  const double start = cpu_seconds();
  while (count.seconds < options.seconds) {
    for (Search& g : games) {
      if (options.noise) g.add_noise();
      count.simulations -= static_cast<std::uint64_t>(g.simulations());  // those kept from the last move are not new
      count.evaluations -= g.tree().size();
    }
    run_searches(pointers, *batch, options.simulations);
    for (Search& g : games) {
      count.simulations += static_cast<std::uint64_t>(g.simulations());
      count.evaluations += g.tree().size();
      ++count.moves;
      g.advance(g.sample_move(config.temperature_at(g.root().ply()), rng));
      if (g.root().is_terminal()) {
        ++count.games;
        g.set_root(Position());
      }
    }
    count.seconds = cpu_seconds() - start;
  }
  for (const Search& g : games) count.bytes += g.tree().memory_bytes();
  return count;
}

void report(const std::string& what, const Count& c) {
  std::cout << what << ": " << static_cast<std::uint64_t>(static_cast<double>(c.simulations) / c.seconds)
            << " simulations/CPU-s, " << static_cast<std::uint64_t>(static_cast<double>(c.moves) / c.seconds)
            << " moves/CPU-s, " << static_cast<double>(c.simulations) / static_cast<double>(c.moves)
            << " new simulations a move, "
            << 100 * static_cast<double>(c.evaluations) / static_cast<double>(c.simulations) << "% of them evaluated, "
            << c.games << " games, " << c.bytes / 1024 << " KiB of tree\n";
}

void run_mcts(const MctsArguments& options) {
  UniformEvaluator uniform;
  report("uniform, 1 game", self_play(uniform, 1, options));
  report("uniform, 64 games side by side", self_play(uniform, 64, options));
  report("uniform, 256 games side by side", self_play(uniform, 256, options));
  RolloutEvaluator rollout(1, options.seed);
  report("1 playout, 64 games side by side", self_play(rollout, 64, options));
}

}  // namespace

void add_mcts(CLI::App& bench) {
  auto options = std::make_shared<MctsArguments>();
  CLI::App* command = bench.add_subcommand(
      "mcts", "the search itself: simulations per CPU-second with an evaluator that costs nothing");
  command->add_option("--seed", options->seed, "seed of noise and moves")->capture_default_str();
  command->add_option("--simulations", options->simulations, "visits a move")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "processor time for each figure")
      ->check(FiniteRange(0.001, 86'400.0))
      ->capture_default_str();
  command->add_flag_callback(
      "--no-noise", [options] { options->noise = false; }, "leave out the root noise");
  command
      ->add_option("--search", options->search, "change one key of the search, e.g. tree_reuse=false; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all();
  command->callback([options] { run_mcts(*options); });
}

}  // namespace quarto::bench
