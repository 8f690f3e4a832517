#include "app/commands.h"

#include "cli/whole_numbers.h"

namespace quarto::app {

void add_idle_seed(CLI::App& command) {
  command.add_option_function<std::uint64_t>(
      "--seed", [](std::uint64_t) {}, "no effect: nothing here is random");
}

// In the order of `quartozero --help`.
void add_all(CLI::App& app) {
  add_train(app);
  add_sweep(app);
  add_distill(app);
  add_label(app);
  add_actor(app);
  add_worker(app);
  add_store(app);
  add_eval(app);
  add_study(app);
  add_exploit(app);
  add_match(app);
  add_rate(app);
  add_analyse(app);
  add_report(app);
  add_play(app);
  add_engine(app);
  add_serve(app);
  add_export(app);
  add_solve(app);
  add_prove(app);
  add_book(app);
  add_explore(app);
  add_facts(app);
  add_bench(app);
  add_doctor(app);
  add_signature(app);
  add_completions(app);
  add_manual(app);
  require_whole_numbers(app);
}

}  // namespace quarto::app
