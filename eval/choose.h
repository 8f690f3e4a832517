// A move for each of many positions, from an evaluator alone or with a search over it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "env/evaluator.h"
#include "mcts/search.h"

namespace quarto {

struct ChoiceOptions {
  int simulations = 0;  // 0: the likeliest legal move of the raw evaluation; N: the search's choice with N simulations
  int threads = 1;      // each with a batch of its own
  int batch = 128;      // positions side by side in one thread
  std::uint64_t seed = 0;
  SearchConfig search{};
  // Called now and then on the calling thread with the number of positions done.
  std::function<void(std::size_t)> on_progress{};
};

// All positions, in batches over the threads. None may be terminal.
std::vector<Evaluation> evaluate_all(Evaluator& evaluator, std::span<const Position> positions,
                                     const ChoiceOptions& options);

// Every search starts from a cold tree and has no noise; the i-th draws from mix_seed(seed, i), so that the choice does
// not depend on the number of threads.
std::vector<Move> choose_moves(Evaluator& evaluator, std::span<const Position> positions, const ChoiceOptions& options);

}  // namespace quarto
