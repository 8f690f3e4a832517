// quarto tune: the strangler's weights that agree best with exact values.
#include "eval/tune.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/measure.h"
#include "app/table.h"
#include "base/file.h"
#include "base/progress.h"
#include "eval/suites.h"

namespace quarto::app {
namespace {

struct Options {
  std::string player;
  std::vector<std::string> suites;
  std::string json;
  TuneOptions tune;
  CommonOptions common;
};

std::string percent(const TuneScore& s) {
  return fmt::format("{:.1f} [{:.1f}, {:.1f}]", 100 * s.agreement, 100 * s.interval.low, 100 * s.interval.high);
}

std::vector<std::string> weights_row(const std::string& label, const TunedWeights& w) {
  return {label, fmt::format("{:.3f}", w.safe), fmt::format("{:.3f}", w.traps), percent(w.score)};
}

void print(const TuneReport& report, const TuneOptions& options) {
  const StranglerOptions& s = options.strangler;
  fmt::print(
      "Agreement with perfect play, in percent, with 95% intervals, of the strangler with {} nodes and at most {} "
      "plies,\n"
      "without exact values. Tuning half: {} positions\n\n",
      s.nodes, s.depth, report.best.score.positions);
  TextTable sweep({"angle", "safe", "traps", "agreement"});
  sweep.add_rule();
  for (const TunedWeights& w : report.angles) sweep.add(weights_row(fmt::format("{:+.2f}", w.angle), w));
  sweep.add_rule();
  sweep.add(weights_row(fmt::format("best, {:+.2f}", report.best.angle), report.best));
  sweep.add(weights_row(fmt::format("given, {:+.2f}", report.given.angle), report.given));
  fmt::print("{}\nThe other half\n\n", sweep.str());

  TextTable other({"suite", "positions", "best", fmt::format("given ({:g}, {:g})", s.safe, s.traps)});
  other.add_rule();
  for (std::size_t i = 0; i < report.best_scores.size(); ++i) {
    const TuneScore &best = report.best_scores[i], &given = report.given_scores[i];
    other.add({best.suite, std::to_string(best.positions), percent(best), percent(given)});
  }
  fmt::print("{}\nOnly the best keeps the value in {} positions, only the given weights in {}.\n", other.str(),
             report.only_best, report.only_given);
}

void run(Options& o) {
  if (!o.json.empty()) require_writable(o.json);
  const Rules rules = o.common.parsed_rules();
  std::vector<std::filesystem::path> files(o.suites.begin(), o.suites.end());
  if (files.empty() && rules != Rules::lines) {
    throw SuiteError("the suites that come with quarto are for --rules lines: name one for these rules with --suite");
  }
  if (files.empty()) files = default_suites();
  const std::vector<Suite> suites = read_suites(files, rules);

  o.tune.threads = o.common.threads;
  o.tune.seed = o.common.seed;
  std::unique_ptr<Progress> progress;
  o.tune.on_progress = [&](std::size_t done, std::size_t total) {
    if (!progress) progress = std::make_unique<Progress>("tuning", total, "moves");
    progress->update(done);
  };
  const TuneReport report = tune_strangler(suites, o.tune);
  progress.reset();
  print(report, o.tune);
  if (!o.json.empty()) {
    nlohmann::json json = to_json(report);
    json["nodes"] = o.tune.strangler.nodes;
    json["depth"] = o.tune.strangler.depth;
    json["seed"] = o.common.seed;
    json["rules"] = o.common.rules;
    write_file_atomic(o.json, json.dump(1) + "\n");
  }
}

}  // namespace

void add_tune(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("tune", "weights of a heuristic player that agree best with perfect play");
  command->add_option("player", o->player, "what to tune: strangler")->required()->check(CLI::IsMember({"strangler"}));
  command->add_option("--suite", o->suites,
                      "suites of positions with exact values (default: decisive.tsv and deep.tsv)");
  command->add_option("--nodes", o->tune.strangler.nodes, "positions looked at for one move")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--depth", o->tune.strangler.depth, "gives and places to look ahead at most")
      ->check(CLI::Range(1, 2 * kSquares))
      ->capture_default_str();
  command->add_option("--step", o->tune.step, "degrees between the angles of the first sweep")
      ->check(CLI::Range(1.0, 90.0))
      ->capture_default_str();
  command->add_option("--json", o->json, "write all figures to this file");
  o->common.add_without_device_to(*command);
  command->footer(
      "Only the ratio of the two weights matters: safe = cos(angle), traps = sin(angle). Half of the positions choose "
      "the\nangle, the other half tells what it is worth.\n\n"
      "Examples:\n"
      "  quarto tune strangler\n"
      "  quarto tune strangler --suite eval/suites/deep.tsv --nodes 10000 --step 5 --json tune.json");
  command->callback([o] { run(*o); });
}

}  // namespace quarto::app
