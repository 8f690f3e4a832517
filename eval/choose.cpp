#include "eval/choose.h"

#include <deque>

#include "base/random.h"
#include "eval/parallel.h"

namespace quarto {

std::vector<Evaluation> evaluate_all(Evaluator& evaluator, std::span<const Position> positions,
                                     const ChoiceOptions& options) {
  std::vector<Evaluation> out(positions.size());
  parallel_chunks(
      positions.size(), static_cast<std::size_t>(options.batch), options.threads,
      [&](std::size_t begin, std::size_t end, std::size_t) {
        evaluate(evaluator, positions.subspan(begin, end - begin), std::span(out).subspan(begin, end - begin));
      },
      [&](std::size_t done) {
        if (options.on_progress) options.on_progress(done);
      });
  return out;
}

std::vector<Move> choose_moves(Evaluator& evaluator, std::span<const Position> positions,
                               const ChoiceOptions& options) {
  std::vector<Move> moves(positions.size());
  if (options.simulations == 0) {
    const std::vector<Evaluation> evaluations = evaluate_all(evaluator, positions, options);
    for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = likeliest_move(positions[i], evaluations[i]);
    return moves;
  }
  parallel_chunks(
      positions.size(), static_cast<std::size_t>(options.batch), options.threads,
      [&](std::size_t begin, std::size_t end, std::size_t) {
        std::deque<Search> searches;  // never moved
        std::vector<Search*> pointers;
        for (std::size_t i = begin; i < end; ++i) {
          searches.emplace_back(options.search, mix_seed(options.seed, i));
          searches.back().set_root(positions[i]);
          pointers.push_back(&searches.back());
        }
        const auto batch = evaluator.new_batch();
        run_searches(pointers, *batch, options.simulations);
        for (std::size_t i = begin; i < end; ++i) moves[i] = searches[i - begin].best_move();
      },
      [&](std::size_t done) {
        if (options.on_progress) options.on_progress(done);
      });
  return moves;
}

}  // namespace quarto
