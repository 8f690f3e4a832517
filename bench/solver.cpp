// quartozero bench solver: how long exact values take. Random quiet positions with a piece in hand; each is solved
// alone, with an empty table. Prints medians. CPU time is what to compare on a machine that does other work.
#include "solver/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/option_limits.h"
#include "bench/bench.h"
#include "cli/finite_range.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "solver/book.h"

namespace quarto::bench {
namespace {

struct SolverArguments {
  std::vector<int> empties = {9, 10, 11, 12};
  int count = 50, threads = 1;
  std::uint64_t seed = 1;
  std::size_t table_mb = 256;
  double time_limit = 0;
  std::string rules = "lines";
  bool moves = false, ablation = false, every_ply = false;
};

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return (x[(x.size() - 1) / 2] + x[x.size() / 2]) / 2;
}

// One entry for each position.
struct Times {
  std::vector<double> cpu_ms, ms, nodes;
  int unsolved = 0;  // within the time limit, which then stands for their times
};

Times measure(Solver& solver, int empty, const SolverArguments& options) {
  Rng rng(mix_seed(options.seed, static_cast<std::uint64_t>(empty)));
  Times times;
  for (int i = 0; i < options.count; ++i) {
    const Rules rules = parse_rules(options.rules);
    const Position p = random_quiet_position_at(2 * (kSquares - empty) + 1, rng, rules);
    solver.clear();
    const double before = cpu_seconds();
    const SolveLimits limits = SolveLimits::within(options.time_limit);
    SolveStats stats;
    std::optional<Value> value;
    if (options.moves) {
      const MoveSolution solution = solver.solve_moves(p, limits);
      stats = solution.stats;
      value = solution.value;
    } else {
      const Solution solution = solver.solve(p, limits);
      stats = solution.stats;
      value = solution.value;
    }
    times.unsolved += !value;
    times.cpu_ms.push_back((cpu_seconds() - before) * 1e3);
    times.ms.push_back(stats.seconds * 1e3);
    times.nodes.push_back(static_cast<double>(stats.nodes));
  }
  return times;
}

double percentile(std::vector<double> x, double share) {
  std::sort(x.begin(), x.end());
  return x[std::min(x.size() - 1, static_cast<std::size_t>(share * static_cast<double>(x.size())))];
}

double sum(const std::vector<double>& x) {
  double total = 0;
  for (const double v : x) total += v;
  return total;
}

void print_times(const SolverArguments& options) {
  Solver solver({.table_bytes = options.table_mb << 20, .threads = options.threads});
  fmt::print("{:>5} {:>9} {:>12} {:>12} {:>12} {:>12} {:>12} {:>10}\n", "empty", "positions", "median CPU", "median ms",
             "mean ms", "max ms", "med. nodes", "nodes/s");
  for (const int empty : options.empties) {
    const Times t = measure(solver, empty, options);
    fmt::print("{:>5} {:>9} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.0f} {:>9.2f}M\n", empty, options.count,
               median(t.cpu_ms), median(t.ms), sum(t.ms) / options.count, *std::max_element(t.ms.begin(), t.ms.end()),
               median(t.nodes), sum(t.nodes) / sum(t.cpu_ms) / 1e3);
    if (t.unsolved > 0) fmt::print("      {} of them not solved in time\n", t.unsolved);
  }
}

// What a user of `solve --moves` waits for: random positions of every ply, with the opening book.
void print_every_ply(const SolverArguments& options) {
  const Rules rules = parse_rules(options.rules);
  Solver solver({.table_bytes = options.table_mb << 20, .threads = options.threads, .books = Books::shipped()});
  fmt::print("{:>5} {:>9} {:>12} {:>12} {:>12}\n", "ply", "positions", "median ms", "99% ms", "max ms");
  const auto print = [](const std::string& what, const std::vector<double>& ms) {
    fmt::print("{:>5} {:>9} {:>12.3f} {:>12.3f} {:>12.3f}\n", what, ms.size(), median(ms), percentile(ms, 0.99),
               *std::max_element(ms.begin(), ms.end()));
    std::fflush(stdout);
  };
  std::vector<double> all;
  for (int ply = 0; ply < 2 * kSquares; ++ply) {
    Rng rng(mix_seed(options.seed, static_cast<std::uint64_t>(ply)));
    std::vector<double> ms;
    for (int i = 0; i < options.count; ++i) {
      solver.clear();
      ms.push_back(solver.solve_moves(random_position_at(ply, rng, rules)).stats.seconds * 1e3);
    }
    print(std::to_string(ply), ms);
    all.insert(all.end(), ms.begin(), ms.end());
  }
  print("all", all);
}

// The same positions with one idea switched off at a time.
void print_ablation(const SolverArguments& options) {
  const auto without = [](auto member) {
    SearchIdeas ideas;
    ideas.*member = false;
    return ideas;
  };
  const auto from = [](int empty) {
    SearchIdeas ideas;
    ideas.table_from = empty;
    return ideas;
  };
  const std::vector<std::pair<std::string, SearchIdeas>> variants = {
      {"everything", {}},
      {"without ordering", without(&SearchIdeas::order)},
      {"without symmetries", without(&SearchIdeas::symmetries)},
      {"without trimming", without(&SearchIdeas::trim)},
      {"without idle squares", without(&SearchIdeas::idle_squares)},
      {"without alike pieces", without(&SearchIdeas::alike_pieces)},
      {"without probing first", without(&SearchIdeas::probe_first)},
      {"table from 8 empty", from(8)},
      {"table from 7 empty", from(7)},
      {"table from 6 empty", from(6)},
  };
  for (const int empty : options.empties) {
    fmt::print("{} empty squares, {} positions\n{:<24} {:>12} {:>8} {:>14} {:>8}\n", empty, options.count, "",
               "median CPU", "ratio", "med. nodes", "ratio");
    double base_ms = 0, base_nodes = 0;
    for (const auto& [name, ideas] : variants) {
      Solver solver({.table_bytes = options.table_mb << 20, .threads = options.threads, .ideas = ideas});
      const Times t = measure(solver, empty, options);
      const double ms = median(t.cpu_ms), nodes = median(t.nodes);
      if (base_nodes == 0) {
        base_ms = ms;
        base_nodes = nodes;
      }
      fmt::print("{:<24} {:>9.3f} ms {:>8.2f} {:>14.0f} {:>8.2f}{}\n", name, ms, ms / base_ms, nodes,
                 nodes / base_nodes, t.unsolved > 0 ? fmt::format("  {} not solved in time", t.unsolved) : "");
      std::fflush(stdout);
    }
  }
}

}  // namespace

void add_solver(CLI::App& bench) {
  auto options = std::make_shared<SolverArguments>();
  CLI::App* command = bench.add_subcommand(
      "solver", "exact values: random quiet positions with a piece in hand, each with an empty table");
  command->add_option("--empty", options->empties, "numbers of empty squares")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  command->add_option("--count", options->count, "positions for each")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--seed", options->seed, "seed of the positions")->capture_default_str();
  command->add_option("--threads", options->threads, "threads to search with")
      ->capture_default_str()
      ->check(CLI::Range(1, kMostThreads));
  command->add_option("--table-mb", options->table_mb, "size of the transposition table")
      ->check(CLI::Range(1, kMostTableMb))
      ->capture_default_str();
  command->add_option("--time-limit", options->time_limit, "give up on a position after so long; 0 for no limit")
      ->type_name("SECONDS")
      ->check(FiniteRange(0.0, 1e9))
      ->capture_default_str();
  command->add_option("--rules", options->rules, "of the positions")
      ->check(CLI::IsMember(all_names<Rules>()))
      ->capture_default_str();
  command->add_flag("--moves", options->moves, "every move's value, not only the position's");
  command->add_flag("--ablation", options->ablation, "what each idea brings: the same with one of them switched off");
  command->add_flag("--every-ply", options->every_ply, "all moves of random positions of every ply, with the book");
  command->callback([options] {
    options->every_ply  ? print_every_ply(*options)
    : options->ablation ? print_ablation(*options)
                        : print_times(*options);
  });
}

}  // namespace quarto::bench
