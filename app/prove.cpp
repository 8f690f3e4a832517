// quartozero prove: computes the value of the game by search.
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <string>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/output_file.h"
#include "app/solving.h"
#include "base/cores.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "env/notation.h"

namespace quarto::app {
namespace {

struct ProveOptions {
  std::string rules = "lines";
  std::size_t table_mb = kLargeTableMb;
  int threads = usable_cores();
  double time_limit = 0;
  bool json = false, checked = false;
};

// Describes the value of the empty board. The first player is the one who gives first.
std::vector<std::string> statements(Value value) {
  switch (value) {
    case Value::win:
      return {"the first player can force a win"};
    case Value::draw:
      return {"the second player cannot force a win", "the first player cannot force a win"};
    default:
      return {"the second player can force a win"};
  }
}

// The measured number of nodes of a proof (docs/solver.md), for an estimate of the time left; of the rules `squares`
// for all others.
std::uint64_t usual_nodes(Rules rules) { return rules == Rules::lines ? 664'000'000 : 403'000'000; }

void prove(const ProveOptions& options) {
  const Rules rules = parse_rules(options.rules);
  Solver solver({.table_bytes = options.table_mb << 20, .threads = options.threads, .checked = options.checked});
  Solution solution;
  const std::clock_t before = std::clock();
  SolveLimits within = SolveLimits::within(options.time_limit);
  within.stop = &stop_on_interrupt();
  with_progress("proving", solver, within, usual_nodes(rules),
                [&](const SolveLimits& limits) { solution = solver.solve(Position(rules), limits); });
  const double cpu = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  if (!solution.value) {
    const std::string done = fmt::format("{} nodes in {:.1f} s; a proof usually takes {} nodes",
                                         format_count(static_cast<double>(solution.stats.nodes)),
                                         solution.stats.seconds, format_count(static_cast<double>(usual_nodes(rules))));
    throw Failed(was_interrupted() ? fmt::format("stopped, nothing is proved yet: {}", done)
                                   : fmt::format("not proved within {} s: {}", options.time_limit, done));
  }

  const TableUse table = solver.table_use();
  if (options.json) {
    nlohmann::ordered_json report = {{"rules", to_string(rules)},
                                     {"value", static_cast<int>(*solution.value)},
                                     {"statements", statements(*solution.value)},
                                     {"nodes", solution.stats.nodes},
                                     {"seconds", solution.stats.seconds},
                                     {"cpu_seconds", cpu},
                                     {"threads", options.threads},
                                     {"table_bytes", table.bytes},
                                     {"table_fill", table.fill}};
    if (options.checked) {
      report["probes"] = table.probes;
      report["false_matches"] = table.false_matches;
    }
    print_json(report);
  } else {
    fmt::print("Quarto ({}) from the empty board: {}\n", to_string(rules), to_string(*solution.value));
    for (const std::string& s : statements(*solution.value)) fmt::print("  proved: {}\n", s);
    fmt::print("{} nodes, {:.1f} s with {} ({:.1f} CPU-seconds), table of {} MB {:.0f}% full\n",
               format_count(static_cast<double>(solution.stats.nodes)), solution.stats.seconds,
               counted(static_cast<std::uint64_t>(options.threads), "thread"), cpu, table.bytes >> 20,
               100 * table.fill);
    if (options.checked) {
      fmt::print("{} probes of the checked table, {} false matches\n", format_count(static_cast<double>(table.probes)),
                 table.false_matches);
    }
  }
  if (table.false_matches > 0) throw Failed("the table's names are not good enough: please report this");
}

}  // namespace

void add_prove(CLI::App& app) {
  auto options = std::make_shared<ProveOptions>();
  CLI::App* command = app.add_subcommand("prove", "prove the value of the whole game, from the empty board");
  command->footer(
      "Nothing is looked up and nothing assumed but the rules. Two questions are answered by exhaustion: does\n"
      "the first player get at least a draw, and does he win? Takes about half a minute; docs/solver.md has\n"
      "the method and the evidence that it is right.\n"
      "\n"
      "Examples:\n"
      "  quartozero prove\n"
      "  quartozero prove --threads 1 --table-mb 256\n"
      "  quartozero prove --rules squares                  the variant in which 2x2 squares win as well\n"
      "  quartozero prove --checked --table-mb 4096        keep whole states in the table and look for false matches");
  add_rules_option(*command, options->rules);
  add_table_option(*command, options->table_mb);
  add_threads_option(*command, options->threads);
  add_time_limit_option(*command, options->time_limit, "time limit");
  command->add_flag("--checked", options->checked, "keep full states in the table and count false matches (slow)");
  command->add_flag("--json", options->json, "one line of JSON instead of text");
  add_idle_seed(*command);
  command->callback([options] { prove(*options); });
}

}  // namespace quarto::app
