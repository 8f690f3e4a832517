// bench: benchmarks of the parts
// Uses: base, env, solver, mcts, light, data, play, model, train.
// Promises: The same positions for the same seed, medians rather than means, processor time beside the clock where a
// busy machine would disturb the clock.
#pragma once

#include <CLI/CLI.hpp>

namespace quarto::bench {

// Each adds one subcommand, whose callback runs it and prints to standard output.
void add_solver(CLI::App& bench);
void add_mcts(CLI::App& bench);
void add_proof(CLI::App& bench);
void add_model(CLI::App& bench);
void add_light(CLI::App& bench);
void add_selfplay(CLI::App& bench);

}  // namespace quarto::bench
