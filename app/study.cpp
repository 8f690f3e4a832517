// quartozero study: measures what a network knows and where it errs.
#include "eval/study.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/measure.h"
#include "app/output_file.h"
#include "app/solving.h"
#include "app/study_text.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "cli/simulations_option.h"
#include "data/suites.h"
#include "env/notation.h"
#include "model/evaluators.h"
#include "play/think.h"
#include "report/study_page.h"

namespace quarto::app {
namespace {

struct StudyArguments {
  std::string checkpoint, json, html, book = "shipped";
  std::vector<std::string> suites, search;
  int pictures = 3;
  StudyOptions study;
  CommonOptions common;
};

void run_study(const StudyArguments& o) {
  const LoadedNetwork network = o.common.load(o.checkpoint);
  const Rules rules = network.rules;
  StudyOptions options = o.study;
  options.search = changed_search(o.search);
  std::vector<std::filesystem::path> files = named_suites(o.suites);
  if (files.empty()) files = default_suites_and_all(rules);
  require_output("--json", o.json, FileKind::json);
  require_output("--html", o.html, FileKind::html);
  const std::vector<Suite> suites = read_suites(files, rules);

  options.threads = o.common.threads;
  options.rules = rules;
  options.seed = o.common.seed;
  options.books = book_named(o.book, rules);
  StagedProgress progress("positions");
  options.on_progress = progress.shower();
  options.stop = &stop_on_interrupt();
  const Study result = study(*network.evaluator, suites, options);
  progress.finish();
  if (result.sets.empty()) throw Failed("stopped before a whole set of positions was studied");

  fmt::print("{}", study_text(result, o.pictures, default_style()));
  nlohmann::json json = to_json(result);
  json["checkpoint"] = o.checkpoint;
  json["rules"] = to_string(rules);
  json["search"] = o.search;
  json["seed"] = o.common.seed;
  json["limit"] = options.limit;
  json["random"] = options.generated;
  if (!result.complete) json["complete"] = false;
  if (!o.json.empty()) write_json(o.json, json);
  if (!o.html.empty()) write_file_atomic(o.html, render_study(json));
  if (!result.complete) {
    std::string sets;
    for (const Study::Set& set : result.sets) sets += (sets.empty() ? "" : ", ") + set.name;
    throw Failed(fmt::format("stopped: only these sets were studied: {}", sets));
  }
}

}  // namespace

void add_study(CLI::App& app) {
  auto o = std::make_shared<StudyArguments>();
  CLI::App* command =
      app.add_subcommand("study", "study what a network knows: simple rules, errors, openings, the hardest positions");
  command
      ->add_option("CHECKPOINT", o->checkpoint,
                   "a checkpoint's directory or its weights; 'uniform' studies the search without a network")
      ->required();
  command->add_option("--suite", o->suites,
                      "suites of positions with exact values (default: decisive.tsv, deep.tsv and all.tsv)");
  command
      ->add_option(kSimulationsOption, o->study.simulations,
                   "simulations per move, comma-separated; 0, the raw network, is always studied")
      ->delimiter(',')
      ->check(CLI::Range(0, kMostSimulations))
      ->capture_default_str();
  add_search(*command, o->search);
  command
      ->add_option("--random", o->study.generated,
                   "positions per phase and number of pieces from random play, solved here; not selected by value, so\n"
                   "rules are judged on them as they would meet the game (0: none)")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  command
      ->add_option("--limit", o->study.limit,
                   "at most so many positions of a suite per phase and number of pieces (0: all)")
      ->check(CLI::Range(0, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--hardest", o->study.hardest, "number of hardest positions to keep")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  command->add_option("--pictures", o->pictures, "number of these to draw in the terminal; the page has all")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  command->add_option("--json", o->json, "write all figures to this file");
  command->add_option("--html", o->html, "write a page with tables, curves and boards to this file");
  add_book_option(*command, o->book);
  o->common.add_with_network_to(*command);
  command->footer(
      "Examples:\n"
      "  quartozero study checkpoints/small                                  a summary in the terminal\n"
      "  quartozero study runs/a/best --html study.html --hardest 24         a page with boards to look at\n"
      "  quartozero study runs/a/best --simulations 0,32,256 --json a.json   what do more simulations mend?\n"
      "  quartozero study runs/a/best --search proof_nodes=0                 the network and the tree alone\n"
      "  quartozero study uniform --simulations 0,32                         the search without a network\n"
      "  quartozero study runs/a/best --limit 20 --random 20                 a quick look\n"
      "quartozero report includes study.json where it lies beside the evaluation. "
      "docs/experiments/what-networks-know.md explains the tables.");
  command->callback([o] { run_study(*o); });
}

}  // namespace quarto::app
