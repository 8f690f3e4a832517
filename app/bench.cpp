// quartozero bench: the microbenchmarks (bench/).
#include "bench/bench.h"

#include "app/commands.h"

namespace quarto::app {

void add_bench(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("bench", "measure the speed of the solver, the search and the networks on this machine");
  command->require_subcommand(1);
  command->footer(
      "Quote medians and ratios: machines are noisy. Processor time is given beside the clock where other work would\n"
      "disturb it.\n"
      "\n"
      "Examples:\n"
      "  quartozero bench solver\n"
      "  quartozero bench solver --ablation --empty 11      what each idea of the solver brings\n"
      "  quartozero bench mcts\n"
      "  quartozero bench selfplay configs/demo.yaml        a training run's throughput, and what limits it");
  bench::add_solver(*command);
  bench::add_mcts(*command);
  bench::add_prover(*command);
  bench::add_model(*command);
  bench::add_kernel(*command);
  bench::add_light(*command);
  bench::add_selfplay(*command);
  bench::add_store(*command);
}

}  // namespace quarto::app
