// bench: benchmarks of the parts
// Uses: base, env, solver, mcts, light, gpu, data, store, selfplay, play, model, train, cli.
// Promises: The same positions for the same seed, medians rather than means, processor time beside the clock where a
// busy machine would disturb the clock.
#pragma once

#include <CLI/CLI.hpp>
#include <ctime>

namespace quarto::bench {

// Processor time of all threads of this program so far: a busy machine disturbs it less than the clock.
inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Each adds one subcommand, whose callback runs it and prints to standard output.
void add_solver(CLI::App& bench);
void add_mcts(CLI::App& bench);
void add_prover(CLI::App& bench);
void add_model(CLI::App& bench);
void add_kernel(CLI::App& bench);
void add_light(CLI::App& bench);
void add_selfplay(CLI::App& bench);
void add_store(CLI::App& bench);

}  // namespace quarto::bench
