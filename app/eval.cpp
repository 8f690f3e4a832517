#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/measure.h"
#include "app/output_file.h"
#include "app/table.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "cli/simulations_option.h"
#include "data/suites.h"
#include "env/notation.h"
#include "eval/agreement.h"
#include "light/weights.h"
#include "model/evaluators.h"
#include "play/levels.h"
#include "play/player.h"
#include "play/think.h"

namespace quarto::app {
namespace {

struct EvalArguments {
  std::string checkpoint;
  std::vector<std::string> suites, beside, search;
  std::string json;
  bool no_baselines = false;
  AgreementOptions measured{.simulations = {0, 32, 128}};
  CommonOptions common;
};

// Whose column of the table.
struct Column {
  std::string player;
  int simulations = 0;
  bool by_name = false;  // of a player; else of the evaluator or the floor

  auto operator<=>(const Column&) const = default;
  bool is_floor() const { return !by_name && player != "net"; }
};

std::string title_of(const Column& column, const Titles& titles) {
  const auto& [player, simulations, by_name] = column;
  if (by_name) return titles.at(player);
  if (player == "net") return simulations == 0 ? "policy" : fmt::format("@{}", simulations);
  if (player == "oneply") return "one-ply";
  return player == "uniform" ? fmt::format("alone@{}", simulations) : player;
}

// What no engine may be called, because columns are.
std::set<std::string> own_titles(const std::vector<int>& simulations) {
  std::set<std::string> titles = {title_of({"random"}, {}), title_of({"oneply"}, {})};
  for (const int n : simulations) titles.insert({title_of({"net", n}, {}), title_of({"uniform", n}, {})});
  return titles;
}

// A share in percent, with its interval unless it is of the floor.
std::string cell(const Column& column, double share, const Interval& interval) {
  if (column.is_floor()) return percent(share);
  return fmt::format("{:>5} [{:>5}, {:>5}]", percent(share), percent(interval.low), percent(interval.high));
}

// The table of one suite: one row per stratum, one column per player.
std::string suite_table(const AgreementReport& report, const std::string& suite, const Titles& titles) {
  std::vector<Column> columns;
  std::map<std::pair<Phase, int>, std::map<Column, const AgreementRow*>> strata;
  for (const auto* list : {&report.rows, &report.baselines}) {
    for (const AgreementRow& row : *list) {
      if (row.suite != suite) continue;
      const Column column{row.player, row.simulations, row.by_name};
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
      strata[{row.phase, row.pieces}][column] = &row;
    }
  }
  std::vector<std::string> header = {"phase  pieces", "n"};
  for (const Column& column : columns) header.push_back(title_of(column, titles));
  TextTable table(header);
  table.add_rule();
  std::optional<Phase> last;
  for (const auto& [stratum, cells] : strata) {
    if (last && *last != stratum.first) table.add_rule();
    last = stratum.first;
    std::vector<std::string> line = {fmt::format("{:<5}  {:>6}", to_string(stratum.first), stratum.second), ""};
    for (const Column& column : columns) {
      const AgreementRow& row = *cells.at(column);
      line[1] = std::to_string(row.positions);
      line.push_back(cell(column, row.agreement, row.interval));
    }
    table.add(line);
  }
  table.add_rule();
  std::vector<std::string> all = {"mean, all rows", ""}, middle = {"mean, 7 to 13", ""}, every = {"all positions", ""};
  for (const Column& column : columns) {
    const AgreementMean& mean = report.mean(suite, column.simulations, column.player, column.by_name);
    all.push_back(cell(column, mean.agreement, mean.interval));
    middle.push_back(mean.strata_7_13 == 0 ? "-"
                     : column.is_floor()   ? percent(mean.agreement_7_13)
                                           : fmt::format("{:>5}{:16}", percent(mean.agreement_7_13), ""));
    every.push_back(cell(column, mean.all_positions, mean.all_positions_interval));
  }
  table.add(all);
  table.add(middle);
  const auto summary =
      std::find_if(report.suites.begin(), report.suites.end(), [&](const SuiteSummary& s) { return s.suite == suite; });
  if (summary->decisive < summary->positions) table.add(every);
  return table.str();
}

void print_outcome_heads(const AgreementReport& report) {
  const bool all = std::all_of(report.value_head.begin(), report.value_head.end(), [&](const ValueHeadRow& v) {
    return std::any_of(report.suites.begin(), report.suites.end(),
                       [&](const SuiteSummary& s) { return s.suite == v.suite && s.positions == v.positions; });
  });
  fmt::print("\nOutcome head (win, draw, loss), over decisive and other positions{}\n\n",
             all ? "" : ": estimates for the whole suite from those that were drawn");
  TextTable table({"suite", "positions", "cross-entropy", "right", "constant guess: cross-entropy", "right"});
  table.add_rule();
  for (const ValueHeadRow& v : report.value_head) {
    table.add({v.suite, std::to_string(v.positions), fmt::format("{:.3f}", v.cross_entropy),
               fmt::format("{}% [{}, {}]", percent(v.right), percent(v.interval.low), percent(v.interval.high)),
               fmt::format("{:.3f}", v.base_cross_entropy), percent(v.base_right) + "%"});
  }
  fmt::print("{}", table.str());
}

void print(const AgreementReport& report, const Titles& titles, int proof_nodes) {
  fmt::print(
      "Agreement with perfect play, in percent, with 95% intervals: of the positions where the move matters, the share "
      "in\n"
      "which the chosen move keeps the value. {}random, one-ply\n"
      "and alone@N (the search without a network) are the floor.\n",
      report.value_head.empty() ? "" : "policy: the raw network; @N: with a search of N simulations; ");
  if (std::any_of(report.means.begin(), report.means.end(), [](const AgreementMean& m) { return m.simulations > 0; })) {
    fmt::print("{}\n",
               proof_nodes > 0
                   ? fmt::format("The searches prove at their leaves, with up to {} nodes, which needs no network: "
                                 "--search proof_nodes=0 measures without.",
                                 proof_nodes)
                   : "The searches prove nothing: proof_nodes is 0.");
  }
  if (std::any_of(report.suites.begin(), report.suites.end(),
                  [](const SuiteSummary& s) { return s.decisive < s.positions; })) {
    fmt::print("all positions: each position counts once, and where all moves have one value any of them keeps it.\n");
  }
  for (const SuiteSummary& s : report.suites) {
    fmt::print(
        "\nSuite {}: {} positions, {} decisive ({} passed over, their moves all have one value), {} measured\n\n{}",
        s.suite, s.positions, s.decisive, s.positions - s.decisive, s.measured, suite_table(report, s.suite, titles));
  }
  if (!report.value_head.empty()) print_outcome_heads(report);
  for (const Unanswered& u : report.unanswered) {
    fmt::print("\n{} failed in {} positions of {}, which count as wrong; the first time it {}\n", titles.at(u.player),
               u.positions, u.suite, u.reason);
  }
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool names_player(const std::string& name) {
  try {
    (void)parse_player(name);
    return true;
  } catch (const PlayerError&) {
    return names_level(name);
  }
}

void run_eval(const EvalArguments& o) {
  // Players by name have no policy without a search, and no outcome head.
  const bool by_name = names_engine(o.checkpoint) || (names_player(o.checkpoint) && !is_there(o.checkpoint) &&
                                                      !o.checkpoint.starts_with(kTorchScript));
  const auto script = o.checkpoint.starts_with(kTorchScript) ? network_of(o.checkpoint) : std::nullopt;
  if (script && script->path != o.checkpoint) {
    throw CLI::ValidationError(
        fmt::format("CHECKPOINT: '{}' names a player; eval measures the policy and searches of --simulations: {}",
                    o.checkpoint, script->path));
  }
  if (o.checkpoint.starts_with("net:") || o.checkpoint.starts_with("light:")) {
    const auto at = o.checkpoint.find(':') + 1;
    throw CLI::ValidationError(fmt::format(
        "CHECKPOINT: '{}' names a player; eval takes the path alone and measures the policy and searches of "
        "--simulations: {}",
        o.checkpoint, o.checkpoint.substr(at, o.checkpoint.find('@') - at)));
  }
  const LoadedNetwork network = o.common.load(by_name ? std::string(kUniformNetwork) : o.checkpoint);
  const Rules rules = network.rules;
  std::vector<std::string> names = o.beside;
  if (by_name) names.insert(names.begin(), o.checkpoint);
  names = named_players(names, rules);
  const std::span beside = std::span(names).subspan(by_name ? 1 : 0);
  std::vector<std::filesystem::path> files = named_suites(o.suites);
  if (files.empty()) files = default_suites(rules);
  require_output("--json", o.json, FileKind::json);
  const std::vector<Suite> suites = read_suites(files, rules);
  require_distinct("--simulations: {}", o.measured.simulations);
  require_distinct("--beside: the player '{}'", names);
  for (const std::string& name : beside) {
    if (!o.no_baselines && (name == "random" || name == "oneply"))
      throw CLI::ValidationError(fmt::format("--beside: '{}' is measured without being named", name));
  }

  AgreementOptions options = o.measured;
  options.search = changed_search(o.search);
  options.threads = o.common.threads;
  options.seed = o.common.seed;
  options.baselines = !o.no_baselines;
  PlayerOptions players = o.common.players();
  players.rules = rules;
  players.search = options.search;
  const Titles titles = require_engines(names, players, own_titles(o.measured.simulations));
  options.stop = &stop_on_interrupt();
  std::vector<std::unique_ptr<Player>> made;
  for (const std::string& name : names) {
    made.push_back(make_player(name, players));
    options.beside.push_back(made.back().get());
  }
  if (by_name) {
    options.player = options.beside.front();
    options.beside.erase(options.beside.begin());
  }
  StagedProgress progress("positions");
  options.on_progress = progress.shower();
  const AgreementReport report = measure_agreement(*network.evaluator, suites, options);
  progress.finish();
  if (report.suites.empty()) throw Failed("stopped before anything was measured");
  print(report, titles, options.search.proof_nodes);
  if (!o.json.empty()) {
    nlohmann::json json = to_json(report);
    json["checkpoint"] = o.checkpoint;
    add_titles(json, titles);
    json["search"] = o.search;
    json["seed"] = o.common.seed;
    json["limit"] = options.limit;
    if (!report.complete) json["complete"] = false;
    write_json(o.json, json);
  }
  if (!report.complete) throw Failed("stopped: the columns and suites that are missing above had not been measured");
}

}  // namespace

void add_eval(CLI::App& app) {
  auto o = std::make_shared<EvalArguments>();
  CLI::App* command = app.add_subcommand("eval", "measure the agreement of a checkpoint with perfect play");
  command
      ->add_option(
          "CHECKPOINT", o->checkpoint,
          "a checkpoint's directory or its weights, or torchscript:FILE; 'uniform' measures the search without a network, "
          "engine:COMMAND somebody's program, any other name of a player (--beside) or level that player")
      ->required();
  command->add_option("--suite", o->suites,
                      "suites of positions with exact values (default: decisive.tsv and deep.tsv)");
  command
      ->add_option(kSimulationsOption, o->measured.simulations,
                   "simulations per move, comma-separated; 0 is the raw network")
      ->delimiter(',')
      ->check(CLI::Range(0, kMostSimulations))
      ->capture_default_str();
  command->add_option("--beside", o->beside, "measure these players as well: " + player_names())->check(valid_player());
  add_engine_patience(*command, o->common);
  add_search(*command, o->search);
  command->add_option("--json", o->json, "write all figures to this file");
  command->add_option("--limit", o->measured.limit, "at most so many positions per phase and number of pieces (0: all)")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--batch", o->measured.batch, "positions that one thread evaluates together")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_flag("--no-baselines", o->no_baselines, "leave out random, one-ply and the search alone");
  o->common.add_with_network_to(*command);
  command->footer(
      "Examples:\n"
      "  quartozero eval runs/a/checkpoint\n"
      "  quartozero eval runs/a/checkpoint --simulations 0,32 --limit 20 --json eval.json\n"
      "  quartozero eval runs/a/checkpoint --simulations 8,32 --search root=gumbel --search gumbel_scale=0.3\n"
      "  quartozero eval runs/a/checkpoint --beside strangler lookahead:4\n"
      "  quartozero eval 'engine@100:./bot --fast'\n"
      "docs/measuring.md explains how to read the table.");
  command->callback([o] { run_eval(*o); });
}

}  // namespace quarto::app
