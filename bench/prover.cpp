// quartozero bench prover: what the questions of a search cost, and how many are answered, by the number of empty squares.
// The questions are those of games against itself, asked once more.
#include "solver/prover.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/option_limits.h"
#include "base/random.h"
#include "bench/bench.h"
#include "bench/timing.h"
#include "gpu/proofs.h"
#include "light/load.h"
#include "mcts/search.h"
#include "selfplay/decorators.h"

namespace quarto::bench {
namespace {

struct ProverArguments {
  std::string network = "checkpoints/small";
  int gpu = -1;
  int simulations = 32, nodes = 300, squares = 9, games = 20, repeats = 5;
  std::uint64_t seed = 1;
};

// Answers as the solver's prover does, and keeps the questions.
class Recorder final : public Prover {
 public:
  using Prover::bounds;
  ValueBounds bounds(const Position& position, std::uint64_t nodes, ValueBounds known) const override {
    asked.push_back({position, known, nodes, false});
    return solver_prover().bounds(position, nodes, known);
  }

  mutable std::vector<Question> asked;
};

std::vector<Question> questions_of_games(Evaluator& network, const ProverArguments& o) {
  SearchConfig config;
  config.proof_nodes = o.nodes;
  config.proof_squares = o.squares;
  const Recorder recorder;
  const auto batch = ProvingEvaluator(network, recorder).new_batch();
  Rng rng(o.seed);
  for (int game = 0; game < o.games; ++game) {
    Search search(config, mix_seed(o.seed, static_cast<std::uint64_t>(game)));
    search.set_root(Position());
    Search* one = &search;
    while (!search.root().is_terminal()) {
      search.add_noise();
      run_searches({&one, 1}, *batch, o.simulations);
      search.advance(search.sample_move(config.temperature_at(search.root().ply()), rng));
    }
  }
  return recorder.asked;
}

struct Totals {
  double questions = 0, exact = 0, tightened = 0, nodes = 0, seconds = 0;

  void add(const Totals& s) {
    questions += s.questions;
    exact += s.exact;
    tightened += s.tightened;
    nodes += s.nodes;
    seconds += s.seconds;
  }
};

void print_totals(const std::string& empty, const Totals& s) {
  fmt::print("| {} | {:.0f} | {:.2f} | {:.0f} | {:.1f} | {:.1f} | {:.1f} |\n", empty, s.questions,
             1e6 * s.seconds / s.questions, s.nodes / s.questions, s.nodes > 0 ? 1e9 * s.seconds / s.nodes : 0.0,
             100 * s.exact / s.questions, 100 * s.tightened / s.questions);
}

// All questions together, by the clock, and compared with the processor's answers.
void print_on_gpu(const std::vector<Question>& questions, Rules rules, const ProverArguments& o) {
  const auto batch = gpu::ProofsOnGpu(rules, o.gpu).new_batch();
  std::vector<ValueBounds> found(questions.size());
  std::vector<double> seconds;
  for (int i = 0; i <= o.repeats; ++i) {
    for (std::size_t k = 0; k < questions.size(); ++k)
      batch->add(questions[k].position, questions[k].nodes, questions[k].known, found[k]);
    const auto began = std::chrono::steady_clock::now();
    batch->compute();
    if (i > 0) seconds.push_back(seconds_since(began));  // the first makes room
  }
  std::nth_element(seconds.begin(), seconds.begin() + o.repeats / 2, seconds.end());
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < questions.size(); ++k)
    wrong += found[k] != prove(questions[k].position, questions[k].nodes, questions[k].known).bounds;
  fmt::print("\n{} questions together on the GPU: {:.3f} us each; {} answers differ from the processor's\n",
             questions.size(),
             1e6 * seconds[static_cast<std::size_t>(o.repeats / 2)] / static_cast<double>(questions.size()), wrong);
}

void run_prover(const ProverArguments& o) {
  const LoadedNetwork network = load_light_network(o.network);
  CacheEvaluator cache(*network.evaluator, std::size_t{1} << 17, CacheEvaluator::Key::canonical);
  std::array<std::vector<Question>, kSquares + 1> by_empty;
  const std::vector<Question> asked = questions_of_games(cache, o);
  for (const Question& q : asked) by_empty[static_cast<std::size_t>(std::popcount(q.position.empty()))].push_back(q);
  fmt::print(
      "| empty squares | questions | us | nodes | ns a node | exact % | tighter % |\n|---|---|---|---|---|---|---|\n");
  Totals all;
  for (std::size_t empty = 0; empty < by_empty.size(); ++empty) {
    const std::vector<Question>& questions = by_empty[empty];
    if (questions.empty()) continue;
    Totals sums;
    sums.questions = static_cast<double>(questions.size());
    for (const Question& q : questions) {
      const Proof proof = prove(q.position, q.nodes, q.known);
      sums.nodes += static_cast<double>(proof.nodes);
      sums.exact += proof.bounds.exact();
      sums.tightened += !proof.bounds.exact() && proof.bounds != q.known;
    }
    const double start = processor_seconds();
    for (int i = 0; i < o.repeats; ++i) {
      for (const Question& q : questions) prove(q.position, q.nodes, q.known);
    }
    sums.seconds = (processor_seconds() - start) / o.repeats;
    print_totals(std::to_string(empty), sums);
    all.add(sums);
  }
  if (all.questions > 0) print_totals("all", all);
  if (o.gpu >= 0 && !asked.empty()) print_on_gpu(asked, network.rules, o);
}

}  // namespace

void add_prover(CLI::App& bench) {
  auto options = std::make_shared<ProverArguments>();
  CLI::App* command = bench.add_subcommand(
      "prover", "proofs at the leaves: time, nodes and answers of a search's questions, by empty squares");
  command->add_option("NETWORK", options->network, "a light file, or a folder with model.light in it")
      ->capture_default_str();
  command->add_option("--simulations", options->simulations, "a move, in the games that the questions are of")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--nodes", options->nodes, "proof_nodes")
      ->check(CLI::Range(1, kMostProofNodes))
      ->capture_default_str();
  command->add_option("--squares", options->squares, "proof_squares")
      ->check(CLI::Range(0, kSquares))
      ->capture_default_str();
  command->add_option("--games", options->games, "games")->check(CLI::PositiveNumber)->capture_default_str();
  command->add_option("--repeats", options->repeats, "how often each question is asked for its time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--gpu", options->gpu, "also ask this GPU all questions together, and compare its answers")
      ->type_name("NUMBER")
      ->check(CLI::Range(0, 63));
  command->add_option("--seed", options->seed, "seed of noise and moves")->capture_default_str();
  command->footer(
      "One thread. Questions that are asked again with more nodes are among them.\n"
      "\n"
      "Examples:\n"
      "  quartozero bench prover\n"
      "  quartozero bench prover checkpoints/zero --simulations 128 --nodes 1000 --squares 11 --games 5");
  command->callback([options] { run_prover(*options); });
}

}  // namespace quarto::bench
