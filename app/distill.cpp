// quartozero distill: learning from exact labels.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/hooks.h"
#include "app/interrupt.h"
#include "app/paste.h"
#include "base/progress.h"
#include "cli/finite_range.h"
#include "cli/set_options.h"
#include "train/run_directory.h"
#include "train/supervised.h"

namespace quarto::app {
namespace {

struct DistillArguments {
  std::string config, out;
  std::vector<std::string> labels, set;
  double save_every = 60;
  bool resume = false, quiet = false;
};

void run_distill(const DistillArguments& o) {
  if (o.config.empty() && !o.resume) throw CLI::RequiredError("CONFIG (or --resume)");
  std::vector<std::string> set = o.set;
  set.emplace_back("track=distilled");  // whatever the configuration says
  const RunPlan plan = plan_run(o.config, set, o.out, o.resume);
  const RunConfig& config = plan.config;
  say_changes(plan);
  DistillOptions options;
  options.out = o.out;
  options.labels.assign(o.labels.begin(), o.labels.end());
  options.resume = o.resume;
  options.quiet = o.quiet;
  options.save_every = o.save_every;
  options.stop = &stop_on_interrupt();
  if (const auto measure = agreement_measure(config)) {
    options.measure = [measure, &config](Evaluator& evaluator) { return measure(evaluator, config); };
  }
  const DistillResult result = distill(config, options);
  const std::string done =
      fmt::format("{} learning steps, {} samples of {} labels", format_count(static_cast<double>(result.steps)),
                  format_count(static_cast<double>(result.samples)), format_count(static_cast<double>(result.labels)));
  std::string again = this_program() + " distill --labels";
  for (const std::string& file : o.labels) again += " " + shell_word(file);
  again += fmt::format(" --out {} --resume", shell_word(o.out));
  if (result.nothing_left) {
    fmt::print("the run in {} is finished, nothing is left to do: {} in {}\n", o.out, done,
               format_duration(result.seconds));
    fmt::print("to go on with a higher limit:  {}{}\n", again,
               raised_limits(config.limits, result.iterations, result.seconds));
    return;
  }
  fmt::print("{} after {}: {}\n", result.finished ? "finished" : "stopped", format_duration(result.seconds), done);
  if (!result.finished) fmt::print("go on with:  {}\n", again);
  fmt::print("weights {}\n", (options.out / "best").string());
  if (!result.finished) throw Failed("");
}

}  // namespace

void add_distill(CLI::App& app) {
  auto options = std::make_shared<DistillArguments>();
  CLI::App* command = app.add_subcommand("distill", "learn from exact labels: what an architecture can learn at best");
  command->add_option(
      "CONFIG", options->config,
      "YAML file: network, learner, limits.minutes, evaluation; with --resume the run's own is the default");
  command->add_option("--labels", options->labels, "files made by `quartozero label`")
      ->required()
      ->type_name("FILE ...");
  command->add_option("--out", options->out, "directory of the run")->required()->type_name("DIR");
  command->add_flag("--resume", options->resume, "go on from the run's last checkpoint");
  add_set_options(*command, options->set);
  command->add_option("--save-every", options->save_every, "seconds between checkpoints; 0: as often as can be")
      ->check(FiniteRange(0.0, 1e9))
      ->type_name("SECONDS")
      ->capture_default_str();
  command->add_flag("--quiet", options->quiet, "no progress");
  command->footer(
      "The network is fitted to the exact values of positions, not to games: the result is of the track `distilled`\n"
      "and says so in its file. Hold out what you measure with: `quartozero label --exclude`.\n"
      "\n"
      "Examples:\n"
      "  quartozero label --out train.labels --pieces 7-14 --per-stratum 100000 --exclude eval/suites/decisive.tsv\n"
      "      eval/suites/deep.tsv\n"
      "  quartozero distill configs/distill.yaml --labels train.labels --out runs/distilled\n"
      "  quartozero distill configs/distill.yaml --labels train.labels --out runs/residual --set network.kind=residual");
  command->callback([options] { run_distill(*options); });
}

}  // namespace quarto::app
