// app: the `quartozero` command, one file per subcommand
// Uses: base, env, solver, mcts, light, gpu, data, store, play, model, train, eval, report, cli, engine, serve, watch,
// bench. Promises: Errors go to standard error as one line that states the error, its place and the remedy. The exit
// status is 0 on success, 1 when something failed, 2 when the command line was wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>

namespace quarto::app {

// Thrown when a command has finished with a negative result (a suite with wrong values, an unsolved position). The exit
// status is 1; an empty message prints nothing.
class Failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// For commands without randomness: accepts --seed, as all commands do, and ignores it.
void add_idle_seed(CLI::App& command);

// Adds every subcommand below.
void add_all(CLI::App& app);

// Each function adds one subcommand with its options, help and examples. The subcommand's callback does the work.
void add_actor(CLI::App& app);
void add_analyse(CLI::App& app);
void add_bench(CLI::App& app);
void add_book(CLI::App& app);
void add_completions(CLI::App& app);
void add_distill(CLI::App& app);
void add_doctor(CLI::App& app);
void add_engine(CLI::App& app);
void add_eval(CLI::App& app);
void add_exploit(CLI::App& app);
void add_explore(CLI::App& app);
void add_export(CLI::App& app);
void add_facts(CLI::App& app);
void add_label(CLI::App& app);
void add_manual(CLI::App& app);
void add_match(CLI::App& app);
void add_play(CLI::App& app);
void add_prove(CLI::App& app);
void add_rate(CLI::App& app);
void add_report(CLI::App& app);
void add_serve(CLI::App& app);
void add_signature(CLI::App& app);
void add_solve(CLI::App& app);
void add_store(CLI::App& app);
void add_study(CLI::App& app);
void add_sweep(CLI::App& app);
void add_train(CLI::App& app);
void add_worker(CLI::App& app);

}  // namespace quarto::app
