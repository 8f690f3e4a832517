// quartozero bench proof: what proof search at the leaves (SearchConfig::proof_nodes) brings and costs, beside exact
// values: agreement, evaluations and processor time a move, the training target, the root's value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/config.h"
#include "bench/bench.h"
#include "cli/simulations_option.h"
#include "data/suites.h"
#include "light/load.h"
#include "mcts/search.h"
#include "play/think.h"
#include "solver/prover.h"

namespace quarto::bench {
namespace {

struct ProofArguments {
  std::string network = "checkpoints/zero";
  std::vector<std::string> suites;
  std::vector<int> simulations = {32, 128}, nodes = {0, 30, 100, 300, 1000};
  std::vector<std::string> search;
  int every = 1;
  bool by_empty = false, evaluations = false, alone = false;
  std::uint64_t seed = 1;
};

// Sums over positions.
struct Sum {
  double kept = 0, mass = 0, squared_error = 0, evaluations = 0, visits = 0, proven = 0, seconds = 0;
  int positions = 0;
};

// A stratum: the phase and the pieces on the board.
using Stratum = std::pair<Phase, int>;
using Sums = std::map<Stratum, Sum>;

// What a player makes of a position; `kept` and `seconds` are filled in by measure().
using Choose = std::function<Move(const SuiteEntry&, Sum&)>;

Sums measure(const std::vector<const SuiteEntry*>& entries, const Choose& choose) {
  Sums sums;
  for (const SuiteEntry* e : entries) {
    Sum& sum = sums[{e->position.phase(), e->position.pieces_on_board()}];
    const double start = cpu_seconds();
    const Move move = choose(*e, sum);
    sum.seconds += cpu_seconds() - start;
    sum.kept += keeps_value(*e, move);
    ++sum.positions;
  }
  return sums;
}

Choose searching(EvaluationBatch& batch, const SearchConfig& config, int simulations, bool evaluations) {
  return [&batch, config, simulations, evaluations](const SuiteEntry& entry, Sum& sum) {
    Search search(config, 0);
    search.set_root(entry.position);
    int used = 0;
    // Counting evaluations, a search whose visits are all proven needs another end.
    Answer answer;
    while (const Question* question = search.select(evaluations ? 100 * simulations : simulations)) {
      const bool evaluates = question->evaluate;
      if (batch.ask(*question, answer) == EvaluationBatch::Status::queued) batch.compute();
      const bool evaluated = evaluates && !answer.bounds.exact();
      if (evaluations && evaluated && used == simulations) break;
      search.take(answer);
      used += evaluated;
    }
    sum.evaluations += used;
    sum.visits += search.simulations();
    sum.proven += search.root_proven();
    const auto target = search.policy_target();
    for (const Move m : entry.position.moves()) {
      if (entry.moves[m.index] == entry.value) sum.mass += static_cast<double>(target[m.index]);
    }
    const double error = static_cast<double>(search.root_value()) - static_cast<int>(entry.value);
    sum.squared_error += error * error;
    return search.best_move();
  };
}

Choose raw(EvaluationBatch& batch) {
  return [&batch](const SuiteEntry& entry, Sum& sum) {
    Evaluation opinion;
    if (batch.add(entry.position, opinion) == EvaluationBatch::Status::queued) batch.compute();
    ++sum.evaluations;
    return likeliest_move(entry.position, opinion);
  };
}

// Proof search alone: bounds of every move, the best lower bound, then the best upper one, then the lowest index.
Choose proving(int nodes) {
  return [nodes](const SuiteEntry& entry, Sum&) {
    Move best{};
    ValueBounds most{};
    bool first = true;
    for (const Move m : entry.position.moves()) {
      const Position next = entry.position.after(m);
      ValueBounds b = next.is_terminal() ? ValueBounds::exactly(next.terminal_value())
                                         : solver_prover().bounds(next, static_cast<std::uint64_t>(nodes));
      if (m.phase == Phase::give) b = -b;
      if (first || std::pair(b.low, b.high) > std::pair(most.low, most.high)) {
        best = m;
        most = b;
        first = false;
      }
    }
    return best;
  };
}

void print_header(const ProofArguments& o) {
  fmt::print("| {} | player | agreement | us a move | evaluations | visits | proven | target mass | value error |\n",
             o.by_empty ? "suite, empty squares" : "suite");
  fmt::print("|---|---|---|---|---|---|---|---|---|\n");
}

void print_row(const std::string& where, const std::string& player, const std::vector<const Sum*>& strata) {
  Sum all;
  double agreement = 0;
  for (const Sum* s : strata) {
    agreement += s->kept / s->positions;
    all.mass += s->mass;
    all.squared_error += s->squared_error;
    all.evaluations += s->evaluations;
    all.visits += s->visits;
    all.proven += s->proven;
    all.seconds += s->seconds;
    all.positions += s->positions;
  }
  const auto mean = [&all](double sum) { return sum / all.positions; };
  fmt::print("| {} | {} | {:.1f} | {:.0f} | {:.1f} | {:.1f} | {:.2f} | {:.3f} | {:.4f} |\n", where, player,
             100 * agreement / static_cast<double>(strata.size()), 1e6 * mean(all.seconds), mean(all.evaluations),
             mean(all.visits), mean(all.proven), mean(all.mass), mean(all.squared_error));
  std::fflush(stdout);
}

void print(const std::string& suite, const std::string& player, const Sums& sums, bool by_empty) {
  std::map<int, std::vector<const Sum*>> groups;
  for (const auto& [stratum, sum] : sums) groups[by_empty ? kSquares - stratum.second : 0].push_back(&sum);
  for (const auto& [empty, strata] : groups) {
    print_row(by_empty ? fmt::format("{}, {}", suite, empty) : suite, player, strata);
  }
}

void run_proof(const ProofArguments& o) {
  const LoadedNetwork network = load_light_network(o.network);
  UniformEvaluator uniform;
  const auto batch = ProvingEvaluator(*network.evaluator, solver_prover()).new_batch();
  const auto blind = ProvingEvaluator(uniform, solver_prover()).new_batch();
  std::vector<std::filesystem::path> files(o.suites.begin(), o.suites.end());
  if (files.empty()) files = default_suites(network.rules);
  // What may be wrong comes before the first line.
  const std::vector<Suite> suites = read_suites(files, network.rules);
  SearchConfig config;
  for (const std::string& s : o.search) config::set(s, config::visitor_of(config), "--search");
  print_header(o);
  for (const Suite& suite : suites) {
    std::vector<const SuiteEntry*> entries;
    std::size_t decisive = 0;
    for (const SuiteEntry& e : suite.entries) {
      if (e.decisive() && decisive++ % static_cast<std::size_t>(o.every) == 0) entries.push_back(&e);
    }
    print(suite.name, "net", measure(entries, raw(*batch)), o.by_empty);
    for (const int simulations : o.simulations) {
      for (const int nodes : o.nodes) {
        config.proof_nodes = nodes;
        const auto row = [&](const std::string& who, EvaluationBatch& by) {
          print(suite.name, fmt::format("{}@{}:{}", who, simulations, nodes),
                measure(entries, searching(by, config, simulations, o.evaluations)), o.by_empty);
        };
        row("net", *batch);
        if (o.alone) row("uniform", *blind);
      }
    }
    if (!o.alone) continue;
    for (const int nodes : o.nodes) {
      if (nodes > 0) print(suite.name, fmt::format("proof:{}", nodes), measure(entries, proving(nodes)), o.by_empty);
    }
  }
}

}  // namespace

void add_proof(CLI::App& bench) {
  auto options = std::make_shared<ProofArguments>();
  CLI::App* command = bench.add_subcommand(
      "proof", "proof search at the leaves: agreement with exact values, and what it costs, as a Markdown table");
  command->add_option("NETWORK", options->network, "a light file, or a folder with model.light in it")
      ->capture_default_str();
  command->add_option("--suite", options->suites, "suites; the shipped ones by default")->type_name("FILE ...");
  command->add_option(kSimulationsOption, options->simulations, "simulations a move")
      ->delimiter(',')
      ->check(CLI::Range(1, kMostSimulations))
      ->capture_default_str();
  command->add_option("--nodes", options->nodes, "values of proof_nodes")
      ->delimiter(',')
      ->check(CLI::Range(0, kMostProofNodes))
      ->capture_default_str();
  command->add_option("--every", options->every, "every so many positions of a suite only")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--by-empty", options->by_empty, "a row for each number of empty squares");
  command->add_flag("--count-evaluations", options->evaluations,
                    "--simulations are the network's evaluations, not the visits of the root");
  command->add_flag("--alone", options->alone,
                    "also the search without a network (uniform) and proof search without a search (proof:K)");
  command->add_option("--search", options->search, "change one key of the search; may be repeated")
      ->type_name("KEY=VALUE")
      ->take_all();
  command->add_option("--seed", options->seed, "no effect: nothing here is random");
  command->footer(
      "One thread. Columns: agreement in percent, mean over strata; processor time, network evaluations and visits a\n"
      "move; the share of positions whose root was proven; the share of the training target on moves that keep the\n"
      "value; the mean squared error of the root's value.\n"
      "\n"
      "Examples:\n"
      "  quartozero bench proof --simulations 128 --every 10\n"
      "  quartozero bench proof --simulations 128 --nodes 0,300 --by-empty --alone --every 5");
  command->callback([options] { run_proof(*options); });
}

}  // namespace quarto::bench
