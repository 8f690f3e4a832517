#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/commands.h"
#include "app/hooks.h"
#include "app/interrupt.h"
#include "app/paste.h"
#include "app/store_option.h"
#include "base/progress.h"
#include "base/tell.h"
#include "cli/set_options.h"
#include "eval/match.h"
#include "model/evaluators.h"
#include "solver/leaf_oracle.h"
#include "solver/prover.h"
#include "train/run_directory.h"
#include "train/trainer.h"
#include "watch/watching.h"

namespace quarto::app {
namespace {

struct TrainArguments {
  std::string config, out;
  std::vector<std::string> set;
  bool resume = false, quiet = false, print_config = false, stop_with_input = false;
  std::string store;
  std::uint64_t max_lag = StoreOptions{}.max_lag, lease = StoreOptions{}.patience;
  int ahead = 0;
  std::optional<int> watch;  // port
};

// The trainer's measurements. Training uses none of their numbers, except that `compare` selects the best weights.
TrainHooks make_hooks(const RunConfig& config) {
  TrainHooks hooks;
  hooks.measure = agreement_measure(config);
  hooks.compare = [](Evaluator& candidate, Evaluator& best, const RunConfig& run, std::uint64_t seed) {
    PlayerOptions options;
    options.rules = run.network.rules;
    options.seed = seed;
    options.threads = run.selfplay.thread_count();
    options.search = measuring_search(run);
    const int simulations = run.evaluation.match_simulations;
    const auto a = make_search_player("candidate", candidate, simulations, options);
    const auto b = make_search_player("best", best, simulations, options);
    MatchOptions match;
    match.games = run.evaluation.match_games;
    match.rules = options.rules;
    match.seed = seed;
    const MatchResult result = play_match(*a, *b, match);
    return (result.wins + 0.5 * result.draws) / (result.wins + result.draws + result.losses);
  };
  return hooks;
}

std::string text_of(const TrainResult& result) {
  return fmt::format("{}, {} games, {} samples, {} learning steps", counted(result.iterations, "iteration"),
                     format_count(static_cast<double>(result.games)), format_count(static_cast<double>(result.samples)),
                     format_count(static_cast<double>(result.steps)));
}

void run_train(const TrainArguments& o) {
  if (o.config.empty() && !o.resume) throw CLI::RequiredError("CONFIG (or --resume)");
  const RunPlan plan = plan_run(o.config, o.set, o.out, o.resume);
  const RunConfig& config = plan.config;
  if (o.print_config) {
    fmt::print("{}", config::to_yaml(config));
    return;
  }
  if (o.out.empty()) throw ConfigError("train needs --out DIR: where the run is kept");
  say_changes(plan);
  // With a store nothing is lost at any moment, and the iteration may wait for actors.
  const RunInterrupt& interrupted = stop_run_on_interrupt(!o.store.empty());
  if (o.stop_with_input) {
    std::thread([] {
      std::array<char, 256> unused;
      while (true) {
        const ssize_t n = ::read(STDIN_FILENO, unused.data(), unused.size());
        if (n == 0 || (n < 0 && errno != EINTR)) break;
      }
      ::kill(::getpid(), SIGTERM);
    }).detach();
  }
  std::optional<LeafOracle> oracle;
  if (config.search.oracle_squares > 0) oracle.emplace();
  std::optional<StoreOptions> from;
  if (!o.store.empty()) {
    if (config.limits.mode != RunMode::concurrent && (o.ahead != 0 || o.max_lag != StoreOptions{}.max_lag))
      throw ConfigError("--ahead and --max-lag are for limits.mode=concurrent: add --set limits.mode=concurrent");
    from = {.connect = store_connector(o.store),
            .version = QUARTOZERO_VERSION,
            .max_lag = o.max_lag,
            .ahead = o.ahead,
            .patience = o.lease};
  }
  std::optional<watch::Watching> watching;
  if (o.watch) {
    watching.emplace(o.out, *o.watch, network_loader(config.device), QUARTOZERO_VERSION);
    tell("watch the run at {}\n", watching->url());
  }
  const TrainResult result = train(config,
                                   {.out = o.out,
                                    .resume = o.resume,
                                    .quiet = o.quiet,
                                    .stop = &interrupted.now,
                                    .stop_after_iteration = &interrupted.after_iteration,
                                    .aids = {&solver_prover(), oracle ? &*oracle : nullptr},
                                    .store = from},
                                   make_hooks(config));
  const std::filesystem::path out = o.out;
  if (result.nothing_left) {
    fmt::print("the run in {} is finished, nothing is left to do: {} in {}\n", out.string(), text_of(result),
               format_duration(result.seconds));
    fmt::print("to go on with a higher limit:  {} train --out {} --resume{}\n", this_program(),
               shell_word(out.string()), raised_limits(config.limits, result.iterations, result.seconds));
    return;
  }
  fmt::print("{} after {}: {}\n", result.finished ? "finished" : "stopped", format_duration(result.seconds),
             text_of(result));
  if (!result.finished && result.abandoned_games > 0 && config.limits.mode == RunMode::concurrent) {
    fmt::print(
        "lost: {} games that no iteration had taken, and those that were being played; a resumed run plays others\n",
        result.abandoned_games);
  } else if (!result.finished && result.abandoned_games > 0) {
    fmt::print("lost: {} games of iteration {}, which was not finished; the resumed run plays it again\n",
               result.abandoned_games, result.iterations + 1);
  }
  if (!result.finished) {
    fmt::print("go on with:  {} train --out {} --resume{}\n", this_program(), shell_word(out.string()),
               o.store.empty() ? "" : " --store " + shell_word(shown_store(o.store)));
  }
  std::string untrained;
  if (result.best_iteration == 0) {
    untrained = result.iterations == 0
                    ? " (those that it began with)"
                    : fmt::format(" (those that it began with, until newer ones win a match; the newest are {})",
                                  (out / "checkpoint").string());
  }
  fmt::print("best weights {}{}\nmetrics      {} and {}\n", (out / "best").string(), untrained,
             (out / "metrics.jsonl").string(), (out / "tensorboard").string());
  // So that a script does not go on with what is half done.
  if (!result.finished) throw Failed("");
}

}  // namespace

void add_train(CLI::App& app) {
  auto options = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand("train", "learn from self-play");
  command->add_option("CONFIG", options->config,
                      "YAML file with the run's parameters, e.g. configs/demo.yaml; with --resume the run's own is the "
                      "default");
  command->add_option("--out", options->out, "directory of the run: checkpoints, metrics, logs");
  command->add_flag("--resume", options->resume,
                    "go on from the run's last checkpoint; with CONFIG, begin a run where there is none");
  add_set_options(*command, options->set, "override one key, e.g. --set limits.minutes=10; may be repeated");
  command->add_flag("--quiet", options->quiet, "no progress display");
  command->add_flag("--stop-with-input", options->stop_with_input,
                    "stop as at SIGTERM when standard input ends: for programs that start this one, however they end");
  command
      ->add_option("--watch", options->watch,
                   "show the run in a browser on this machine as it goes, at this port; 0: any free port")
      ->type_name("PORT")
      ->check(CLI::Range(0, 65'535));
  CLI::Option* store = add_store_option(
      *command, options->store,
      "play no games here: `quartozero actor` plays them, anywhere, and this store (Redis) carries them");
  add_lease_option(*command, options->lease,
                   "with --store: seconds after which the games of an actor that is not heard of are given to others")
      ->needs(store);
  command
      ->add_option("--max-lag", options->max_lag,
                   "with --store and limits.mode=concurrent: drop games of weights that are older, in iterations")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str()
      ->needs(store);
  command
      ->add_option(
          "--ahead", options->ahead,
          "with --store and limits.mode=concurrent: games that actors may have in work beyond an iteration's; 0: "
          "as many as two iterations have. Many actors need many")
      ->check(CLI::Range(0, 100'000'000))
      ->capture_default_str()
      ->needs(store);
  command->add_flag("--print-config", options->print_config,
                    "print the effective configuration, every key explained, and exit");
  command->footer(
      "Ctrl-C stops when the iteration is finished, with exit status 1, and a second one at once. SIGTERM stops now; "
      "the\n"
      "resumed run plays the unfinished iteration again. With --store both stop now, and no game is lost. In mode\n"
      "concurrent without a store games that no iteration has taken are lost, and others are played in their place.\n"
      "\n"
      "A run killed at any instant goes on with --resume; with selfplay.threads=1, learner.threads=1, device=cpu and "
      "a\n"
      "limit in iterations it ends with the same weights, byte for byte, as if it had never been killed.\n"
      "\n"
      "--resume prints and logs every key that --set or another CONFIG changes; the configuration until then is kept.\n"
      "\n"
      "Examples:\n"
      "  quartozero train configs/demo.yaml --out runs/demo\n"
      "  quartozero train --out runs/demo --resume --set limits.minutes=10\n"
      "  quartozero train configs/cpu.yaml --out runs/night --set network.width=32 --seed 7\n"
      "  quartozero train configs/cpu.yaml --out runs/night --watch 8080\n"
      "  quartozero train configs/gpu.yaml --print-config\n"
      "  quartozero train configs/cpu.yaml --out runs/many --store redis://host --set limits.mode=concurrent");
  command->callback([options] { run_train(*options); });
}

}  // namespace quarto::app
