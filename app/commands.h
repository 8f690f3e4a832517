// app: the `quartozero` command, one file per subcommand
// Uses: base, env, solver, mcts, light, gpu, data, store, selfplay, play, model, train, eval, report, cli, engine,
// serve, watch, bench.
// Promises: Errors go to standard error as one line that states the error, its place and the remedy. The exit status is
// 0 on success, 1 when something failed, 2 when the command line was wrong.
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

// The subcommands in the order of `quartozero --help`. add_NAME() adds one with its options, help and examples; its
// callback does the work.
#define QUARTOZERO_COMMANDS(X)                                                                                   \
  X(train)                                                                                                       \
  X(sweep)                                                                                                       \
  X(distill)                                                                                                     \
  X(label) X(actor) X(worker) X(store) X(eval) X(study) X(exploit) X(match) X(rate) X(analyse) X(report) X(play) \
      X(engine) X(serve) X(export) X(solve) X(prove) X(book) X(explore) X(facts) X(bench) X(doctor) X(signature) \
          X(completions) X(manual)
#define QUARTOZERO_DECLARE(name) void add_##name(CLI::App& app);
QUARTOZERO_COMMANDS(QUARTOZERO_DECLARE)
#undef QUARTOZERO_DECLARE
void add_all(CLI::App& app);

}  // namespace quarto::app
