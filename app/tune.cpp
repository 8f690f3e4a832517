// quartozero tune: searches for the strangler's weights that agree best with exact values.
#include "eval/tune.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/measure.h"
#include "app/table.h"
#include "base/finite_range.h"
#include "base/progress.h"
#include "data/suites.h"

namespace quarto::app {
namespace {

struct TuneArguments {
  std::string player;
  std::vector<std::string> suites;
  TuneOptions tune;
  CommonOptions common;
};

std::string share_in_percent(const Share& s) {
  return fmt::format("{:.1f} [{:.1f}, {:.1f}]", 100 * s.value(), 100 * s.interval().low, 100 * s.interval().high);
}

void print(const TuneReport& report) {
  TextTable table({"angle", "safe", "traps", "tuning half", "other half"});
  const auto add = [&](const std::string& name, const TunedWeights& w, const std::string& other) {
    table.add({name, fmt::format("{:.3f}", w.safe), fmt::format("{:.3f}", w.traps), share_in_percent(w.tuning), other});
  };
  table.add_rule();
  for (const TunedWeights& w : report.angles) add(fmt::format("{:+.2f}", w.angle), w, "");
  table.add_rule();
  add(fmt::format("best, {:+.2f}", report.best.angle), report.best, share_in_percent(report.best_report));
  add(fmt::format("given, {:+.2f}", report.given.angle), report.given, share_in_percent(report.given_report));
  fmt::print(
      "Agreement with perfect play, in percent, on {} positions to tune on and {} others\n\n{}\n"
      "On the other half only the best keeps the value in {} positions, only the given weights in {}.\n",
      report.best.tuning.n, report.best_report.n, table.str(), report.only_best, report.only_given);
}

void run_tune(TuneArguments& o) {
  const Rules rules = o.common.parsed_rules();
  std::vector<std::filesystem::path> files = named_suites(o.suites);
  if (files.empty()) files = default_suites(rules);
  o.tune.threads = o.common.threads;
  o.tune.seed = o.common.seed;
  std::unique_ptr<Progress> progress;
  o.tune.on_progress = [&](std::size_t done, std::size_t total) {
    if (!progress) progress = std::make_unique<Progress>("tuning", total, "moves");
    progress->update(done);
  };
  const TuneReport report = tune_strangler(read_suites(files, rules), o.tune);
  progress.reset();
  print(report);
}

}  // namespace

void add_tune(CLI::App& app) {
  auto o = std::make_shared<TuneArguments>();
  CLI::App* command = app.add_subcommand("tune", "tune the weights of a heuristic player against exact values");
  command->add_option("PLAYER", o->player, "what to tune: strangler")->required()->check(CLI::IsMember({"strangler"}));
  command->add_option("--suite", o->suites,
                      "suites of positions with exact values (default: decisive.tsv and deep.tsv)");
  command->add_option("--nodes", o->tune.strangler.nodes, "positions to search for one move")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--depth", o->tune.strangler.depth, "gives and places to look ahead at most")
      ->check(CLI::Range(1, 2 * kSquares))
      ->capture_default_str();
  command->add_option("--step", o->tune.step, "degrees between the angles of the first sweep")
      ->check(FiniteRange(1.0, 90.0))
      ->capture_default_str();
  o->common.add_without_device_to(*command);
  command->footer("Examples:\n  quartozero tune strangler\n  quartozero tune strangler --nodes 10000 --step 5");
  command->callback([o] { run_tune(*o); });
}

}  // namespace quarto::app
