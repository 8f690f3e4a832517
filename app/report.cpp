#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/output_file.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/option_limits.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/finite_range.h"
#include "env/notation.h"
#include "eval/ladder.h"
#include "eval/round_robin.h"
#include "model/checkpoint.h"
#include "play/player.h"

namespace quarto::app {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::vector<std::string> runs;
  std::string run, evaluation, study, exploit, ladder, out = "report.html", figures;
  bool measure = false;
  int limit = 0, games = 20, threads = usable_cores();
  double exploit_seconds = 60;
  std::uint64_t seed = 0;
};

std::optional<fs::path> named(const std::string& file) {
  return file.empty() ? std::nullopt : std::optional<fs::path>(file);
}

// Runs another subcommand with these arguments.
void call(const std::vector<std::string>& arguments) {
  fmt::print("\n== quartozero");
  for (const std::string& a : arguments) fmt::print(" {}", a);
  fmt::print("\n\n");
  std::fflush(stdout);
  CLI::App app;
  app.require_subcommand(1);
  add_all(app);
  // CLI11 expects the arguments in reverse order.
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const Failed&) {
    if (!was_interrupted()) throw;
  }
  // A command that is stopped early ends with what it has found so far; the page waits for all of it.
  if (was_interrupted()) throw Failed("stopped: no page was written");
}

// Measures the run's best weights, or the checkpoint, with every instrument. Keeps the figures beside the page.
ReportFiles measure(const ReportArguments& o) {
  const fs::path run = o.run;
  const std::string checkpoint = fs::exists(run / "best") ? (run / "best").string() : o.run;
  const fs::path figures = o.figures.empty() ? fs::path(o.out).replace_extension(".figures") : fs::path(o.figures);
  make_directories(figures);
  const auto file = [&](const char* name) { return (figures / name).string(); };
  const std::string threads = std::to_string(o.threads), seed = std::to_string(o.seed);
  const auto net = [&](int simulations) { return network_player(checkpoint, simulations); };
  const std::string rules = to_string(read_weights_info(checkpoint).rules);
  const std::string limit = std::to_string(o.limit);
  call({"eval", checkpoint, "--simulations", "0,32,128", "--limit", limit, "--json", file("eval.json"), "--threads",
        threads, "--seed", seed});
  std::vector<std::string> study = {"study",  checkpoint,         "--pictures", "0",     "--limit", limit,
                                    "--json", file("study.json"), "--threads",  threads, "--seed",  seed};
  if (o.limit > 0) study.insert(study.end(), {"--random", std::to_string(std::min(o.limit, 1000))});
  call(study);
  if (o.exploit_seconds > 0) {
    // In this time the walk stays in the first half of the game, so exact values must be looked up there.
    call({"exploit", net(0), "--solve", "12", "--time-limit", fmt::format("{}", o.exploit_seconds), "--json",
          file("exploit.json"), "--threads", threads, "--seed", seed, "--rules", rules});
  }
  if (o.games > 0) {
    call({"rate",       "random",
          "oneply",     "lookahead:4",
          "rollout:64", "rollout:1000",
          "strangler",  "perfect:any",
          net(0),       net(8),
          net(32),      net(128),
          "--games",    std::to_string(o.games),
          "--json",     file("ratings.json"),
          "--threads",  threads,
          "--seed",     seed,
          "--rules",    rules});
  }
  // Only the figures measured now.
  ReportFiles files;
  files.look_beside = false;
  files.evaluation = file("eval.json");
  files.study = file("study.json");
  if (o.exploit_seconds > 0) files.exploit = file("exploit.json");
  if (o.games > 0) files.ladder = file("ratings.json");
  return files;
}

// The table of what `rate --out` keeps; nothing, and a line that says so, if its games do not link all players yet.
std::optional<nlohmann::json> ladder_of_round_robin(const fs::path& file, const std::string& text) {
  try {
    const RoundRobin results = parse_round_robin(text);
    if (results.played.empty()) throw RoundRobinError("no pairing has been played yet");
    return nlohmann::json(to_json(rated(results, "", unplayed(results).empty())));
  } catch (const NotLinked& e) {
    tell("{}: there is no table yet: {}\n", file.string(), e.what());
    return std::nullopt;
  } catch (const RoundRobinError& e) {
    throw RoundRobinError(fmt::format("{}: {}", file.string(), e.what()));
  }
}

// Figures may be of a copy of the run's weights, so that another place is no error.
void note_other_checkpoint(const nlohmann::json& evaluation, const ReportArguments& o) {
  const std::string checkpoint = evaluation.value("checkpoint", "");
  std::error_code unknown;
  const std::string run = fs::weakly_canonical(o.run, unknown).string();
  const std::string measured = fs::weakly_canonical(checkpoint, unknown).string();
  if (checkpoint.empty() || !fs::exists(checkpoint, unknown) || measured == run || measured.starts_with(run + "/"))
    return;
  tell("note: the figures in '{}' are of '{}', which is not in '{}'\n", o.evaluation, checkpoint, o.run);
}

void run_report(const ReportArguments& given) {
  ReportArguments o = given;
  require_output("--out", o.out, FileKind::html);
  if (o.runs.size() > 1) {
    throw CLI::ValidationError(
        "RUN", "a page is about one run; quartozero serve --runs DIR draws the runs of a folder over each other");
  }
  o.run = o.runs.front();
  // As everywhere, a checkpoint may be named by its weights.
  std::error_code unknown;
  if (fs::is_regular_file(o.run, unknown) && fs::path(o.run).filename() == kWeightsFile)
    o.run = fs::absolute(o.run).parent_path().string();
  require_run(o.run);
  ReportFiles files{named(o.evaluation), named(o.study), named(o.exploit), named(o.ladder), true};
  if (o.measure) files = measure(o);
  // Two kinds of files; read once, because it may be a pipe.
  const std::optional<fs::path> ladder_file = std::exchange(files.ladder, std::nullopt);
  std::optional<nlohmann::json> ladder;
  if (ladder_file) {
    const std::string text = read_text(*ladder_file);
    ladder = is_round_robin(text) ? ladder_of_round_robin(*ladder_file, text) : parse_ladder(text, *ladder_file);
  }
  ReportInput input = read_report_input(o.run, files);
  if (ladder_file) input.ladder = std::move(ladder);
  if (!o.evaluation.empty()) note_other_checkpoint(*input.evaluation, o);
  write_file_atomic(o.out, render_report(input));
  fmt::print("wrote {}\n", o.out);
}

}  // namespace

void add_report(CLI::App& app) {
  auto o = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand("report", "write an HTML page about a training run or a checkpoint");
  command
      ->add_option("RUN", o->runs, "the directory of a run (metrics.jsonl and config.yaml are read), or a checkpoint's")
      ->required();
  const char* beside = ", beside the evaluation, if it is there and about the same checkpoint)";
  std::vector<CLI::Option*> files = {
      command->add_option("--eval", o->evaluation, "figures written by `quartozero eval --json`"),
      command->add_option("--study", o->study,
                          std::string("figures written by `quartozero study --json` (default: study.json") + beside),
      command->add_option(
          "--exploit", o->exploit,
          std::string("figures written by `quartozero exploit --json` (default: exploit.json") + beside),
      command->add_option(
          "--ladder", o->ladder,
          std::string("figures written by `quartozero rate`, with --json or --out (default: ratings.json") + beside)};
  auto* measuring =
      command->add_flag("--measure", o->measure, "first measure everything: eval, study, exploit, rate; some minutes");
  for (CLI::Option* file : files) measuring->excludes(file);
  command->add_option("--figures", o->figures, "with --measure: where to keep them (default: OUT with .figures)")
      ->type_name("DIR")
      ->needs(measuring);
  command
      ->add_option(
          "--limit", o->limit,
          "with --measure: at most so many positions per phase and number of pieces, for a quick look (0: all)")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str()
      ->needs(measuring);
  command->add_option("--exploit-seconds", o->exploit_seconds, "with --measure: time for exploit; 0 leaves it out")
      ->check(FiniteRange(0.0, 1e9))
      ->capture_default_str()
      ->needs(measuring);
  command->add_option("--games", o->games, "with --measure: games of each pairing of the ladder; 0 leaves it out")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str()
      ->needs(measuring);
  command->add_option("--threads", o->threads, "with --measure")
      ->check(CLI::Range(1, kMostThreads))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "with --measure: seed of what is drawn")->capture_default_str();
  command->add_option("--out", o->out, "the page")->capture_default_str();
  command->footer(
      "Examples:\n"
      "  quartozero report runs/a --measure --out a.html            everything about a run, in one command\n"
      "  quartozero report checkpoints/small --measure --limit 20 --games 4 --exploit-seconds 5 --out demo.html   a "
      "quick look\n"
      "  quartozero eval runs/a/best --json eval.json && quartozero report runs/a --eval eval.json --out report.html");
  command->callback([o] { run_report(*o); });
}

}  // namespace quarto::app
