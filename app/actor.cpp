// quartozero actor: plays games for a learner elsewhere.
#include "train/actor.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/commands.h"
#include "app/screen.h"
#include "app/store_option.h"
#include "base/cores.h"
#include "base/progress.h"
#include "model/runtime.h"
#include "solver/leaf_oracle.h"
#include "solver/prover.h"

namespace quarto::app {
namespace {

struct ActorArguments {
  std::string store, name, device = "auto";
  int threads = 0;
  bool any_build = false, keep = false, quiet = false;
};

void run_actor(const ActorArguments& o) {
  Screen screen(o.quiet);
  std::optional<LeafOracle> oracle;
  resolve_device(o.device);  // an unknown device is an error now, not when the first weights come
  store::WorkerOptions options =
      worker_options(o.store, o.name, "actor", o.threads > 0 ? o.threads : usable_cores(), o.keep, screen);
  const ActorOptions games{.name = options.name,
                           .device = o.device,
                           .threads = options.threads,
                           .any_build = o.any_build,
                           .aids =
                               [&](const RunConfig& config) {
                                 if (config.search.oracle_squares > 0 && !oracle) oracle.emplace();
                                 return SearchAids{&solver_prover(), oracle ? &*oracle : nullptr};
                               },
                           .say = options.say};
  options.device = o.device;
  options.games = true;
  options.make = [&](const store::RunCard& card) { return make_actor_work(card, games); };
  const store::WorkerResult result = store::work_for_store(options);
  screen.say(fmt::format("{}: {} games in {}, {} samples, {:.1f} kB sent", result.finished ? "finished" : "stopped",
                         format_count(static_cast<double>(result.numbers)), format_duration(result.seconds),
                         format_count(static_cast<double>(result.samples)), static_cast<double>(result.bytes) / 1000));
}

}  // namespace

void add_actor(CLI::App& app) {
  auto options = std::make_shared<ActorArguments>();
  CLI::App* command = app.add_subcommand("actor", "play games for a learner elsewhere (train --store)");
  add_store_option(*command, options->store, "the learner's store")->required();
  command->add_option("--device", options->device, "where the network computes: auto, cpu, cuda, cuda:N")
      ->capture_default_str();
  command->add_option("--threads", options->threads, "threads that play; 0: one for each core")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  command->add_option("--name", options->name, "shown by `quartozero store`; without, the host's name");
  command->add_flag("--keep", options->keep,
                    "when the run has finished, wait until it is resumed or the next one begins");
  command->add_flag("--any-build", options->any_build,
                    "play even if this program plays a test game differently from the learner's");
  command->add_flag("--quiet", options->quiet, "print errors alone");
  add_idle_seed(*command);
  command->footer(
      "The run's configuration and weights come from the store. Nothing is kept on the disk: stop an actor in any way, "
      "at\n"
      "any moment, and others play what it had. It waits for the store, and for a run that has not finished; it ends "
      "with\n"
      "the run.\n"
      "\n"
      "A password in the address is not shown in the list of processes once the program runs; "
      "QUARTOZERO_STORE_PASSWORD\n"
      "in the environment keeps it out of the command line altogether.\n"
      "\n"
      "Examples:\n"
      "  quartozero actor --store redis://learner-host\n"
      "  quartozero actor --store redis://learner-host:6379/2 --threads 4 --name rack-7\n"
      "  quartozero actor --store redis://learner-host --device cuda:1");
  command->callback([options] { run_actor(*options); });
}

}  // namespace quarto::app
