// bench_solver: how long exact values take. Random quiet positions (play that avoids ending the game while it can) with
// a piece in hand; each is solved alone, with an empty table and one thread. Prints medians. CPU time is what to
// compare on a machine that does other work.
#include "solver/solver.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <vector>

#include "env/random_play.h"

namespace {

using namespace quarto;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double median(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Times the solver on random quiet positions with a piece in hand, each with an empty table"};
  std::vector<int> empties = {9, 10, 11, 12};
  int count = 50, threads = 1;
  std::uint64_t seed = 1;
  std::size_t table_mb = 256;
  bool squares = false, moves = false;
  app.add_option("--empty", empties, "numbers of empty squares")->capture_default_str();
  app.add_option("--count", count, "positions for each")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--seed", seed, "of the positions")->capture_default_str();
  app.add_option("--threads", threads)->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--table-mb", table_mb, "transposition table")->capture_default_str();
  app.add_flag("--squares", squares, "2x2 squares win as well");
  app.add_flag("--moves", moves, "every move's value, not only the position's");
  CLI11_PARSE(app, argc, argv);

  Solver solver({.table_bytes = table_mb << 20, .threads = threads});
  fmt::print("{:>5} {:>9} {:>12} {:>12} {:>12} {:>12} {:>12} {:>10}\n", "empty", "positions", "median CPU", "median ms",
             "mean ms", "max ms", "med. nodes", "nodes/s");
  for (const int empty : empties) {
    Rng rng(mix_seed(seed, static_cast<std::uint64_t>(empty)));
    std::vector<double> cpu, ms, nodes;
    double total_ms = 0, total_cpu = 0, total_nodes = 0;
    for (int i = 0; i < count; ++i) {
      const Position p = random_quiet_position_at(2 * (kSquares - empty) + 1, rng, squares ? Rules::squares : Rules::lines);
      solver.clear();
      const double cpu_before = cpu_seconds();
      const SolveStats stats = moves ? solver.solve_moves(p).stats : solver.solve(p).stats;
      cpu.push_back((cpu_seconds() - cpu_before) * 1e3);
      ms.push_back(stats.seconds * 1e3);
      nodes.push_back(static_cast<double>(stats.nodes));
      total_cpu += cpu.back();
      total_ms += ms.back();
      total_nodes += nodes.back();
    }
    fmt::print("{:>5} {:>9} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.3f} {:>12.0f} {:>9.2f}M\n", empty, count, median(cpu),
               median(ms), total_ms / count, *std::max_element(ms.begin(), ms.end()), median(nodes),
               total_nodes / total_cpu / 1e3);
  }
}
