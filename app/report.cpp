#include "eval/report.h"

#include <fmt/format.h>

#include <memory>

#include "app/commands.h"
#include "base/file.h"

namespace quarto::app {
namespace {

struct Options {
  std::string run, evaluation, out = "report.html";
};

void run(const Options& o) {
  std::optional<std::filesystem::path> evaluation;
  if (!o.evaluation.empty()) evaluation = o.evaluation;
  write_file_atomic(o.out, render_report(read_report_input(o.run, evaluation)));
  fmt::print("wrote {}\n", o.out);
}

}  // namespace

void add_report(CLI::App& app) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("report", "one HTML page about a training run and an evaluation");
  command->add_option("run", o->run, "the directory of a run: metrics.jsonl and config.yaml are read")->required();
  command->add_option("--eval", o->evaluation, "figures written by `quarto eval --json`");
  command->add_option("--out", o->out, "the page")->capture_default_str();
  add_idle_seed(*command);
  command->footer(
      "Example:\n"
      "  quarto eval runs/a/checkpoint --json eval.json && quarto report runs/a --eval eval.json --out report.html");
  command->callback([o] { run(*o); });
}

}  // namespace quarto::app
