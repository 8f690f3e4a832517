// quartozero worker: does shares of a job elsewhere.
#include "store/worker.h"

#include <fmt/format.h>

#include <memory>
#include <string>

#include "app/commands.h"
#include "app/screen.h"
#include "app/solving.h"
#include "app/store_option.h"
#include "base/cores.h"
#include "base/progress.h"
#include "eval/jobs.h"
#include "model/evaluators.h"
#include "store/share_work.h"

namespace quarto::app {
namespace {

struct WorkerArguments {
  std::string store, name;
  int threads = usable_cores();
  std::size_t table_mb = WorkerSettings{}.table_bytes >> 20;
  bool keep = false, quiet = false;
};

void run_worker(const WorkerArguments& o) {
  Screen screen(o.quiet);
  store::WorkerOptions options = worker_options(o.store, o.name, "worker", o.threads, o.keep, screen);
  options.make = [&](const store::RunCard& card) {
    return store::make_share_work(options.name, [&o, card](const store::Kit& kit) {
      return make_job_worker(card, kit,
                             {.threads = o.threads, .table_bytes = o.table_mb << 20, .load = network_loader("cpu")});
    });
  };
  const store::WorkerResult result = store::work_for_store(options);
  screen.say(fmt::format("{}: {} shares in {}, {} of it at work, {:.1f} kB sent",
                         result.finished ? "finished" : "stopped", format_count(static_cast<double>(result.numbers)),
                         format_duration(result.seconds), format_duration(result.working),
                         static_cast<double>(result.bytes) / 1000));
}

}  // namespace

void add_worker(CLI::App& app) {
  auto options = std::make_shared<WorkerArguments>();
  CLI::App* command =
      app.add_subcommand("worker", "do shares of a job that another machine gives (label, exploit or rate --store)");
  add_store_option(*command, options->store, "the job's store")->required();
  add_threads_option(*command, options->threads);
  add_table_option(*command, options->table_mb);
  command->add_option("--name", options->name, "shown by `quartozero store`; without, the host's name");
  command->add_flag("--keep", options->keep, "when the job has finished, wait until the next one begins");
  command->add_flag("--quiet", options->quiet, "print errors alone");
  add_idle_seed(*command);
  command->footer(
      "The job, with all that it needs, comes from the store. Stop a worker in any way, at any moment: others do what\n"
      "it had. Files of networks lie in a temporary directory while it runs, which only kill -9 leaves behind.\n"
      "It waits for the store and for a job, and ends with the job.\n"
      "docs/many.md has the details.\n"
      "\n"
      "Examples:\n"
      "  quartozero worker --store redis://coordinator-host\n"
      "  quartozero worker --store redis://coordinator-host:6379/2 --threads 4 --name rack-7 --keep");
  command->callback([options] { run_worker(*options); });
}

}  // namespace quarto::app
