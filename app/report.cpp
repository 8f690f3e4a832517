#include "eval/report.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "base/file.h"

namespace quarto::app {
namespace {

struct Options {
  std::string run, evaluation, study, out = "report.html";
};

void run(const Options& o) {
  std::optional<std::filesystem::path> evaluation, study;
  if (!o.evaluation.empty()) evaluation = o.evaluation;
  if (!o.study.empty()) study = o.study;
  write_file_atomic(o.out, render_report(read_report_input(o.run, evaluation, study)));
  fmt::print("wrote {}\n", o.out);
}

}  // namespace

void add_report(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "one HTML page about a training run and an evaluation");
  command->add_option("run", o->run, "the directory of a run: metrics.jsonl and config.yaml are read")->required();
  command->add_option("--eval", o->evaluation, "figures written by `quarto eval --json`");
  command->add_option("--study", o->study,
                      "figures written by `quarto study --json` (default: study.json beside the evaluation, if it is\n"
                      "there and of the same checkpoint)");
  command->add_option("--out", o->out, "the page")->capture_default_str();
  add_idle_seed(*command);
  command->footer(
      "Examples:\n"
      "  quarto eval runs/a/best --json eval.json && quarto report runs/a --eval eval.json --out report.html\n"
      "  quarto study runs/a/best --json study.json && quarto report runs/a --study study.json");
  command->callback([o] { run(*o); });
}

}  // namespace quarto::app
