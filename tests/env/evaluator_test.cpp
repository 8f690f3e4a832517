#include "env/evaluator.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/support/random_positions.h"

namespace quarto {
namespace {

TEST(UniformEvaluator, SpreadsThePriorOverTheLegalMoves) {
  Rng rng(1);
  UniformEvaluator uniform;
  std::vector<Position> positions;
  for (int i = 0; i < 100; ++i) positions.push_back(random_position(rng));
  std::vector<Evaluation> out(positions.size());
  evaluate(uniform, positions, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_NEAR(std::accumulate(out[i].prior.begin(), out[i].prior.end(), 0.0), 1.0, 1e-6);
    for (int m = 0; m < kMoves; ++m) {
      EXPECT_EQ(out[i].prior[static_cast<std::size_t>(m)] > 0, ((positions[i].legal_moves() >> m) & 1) == 1);
    }
    EXPECT_EQ(out[i].value(), 0);
  }
}

TEST(Evaluate, NeedsAsManyResultsAsPositions) {
  UniformEvaluator uniform;
  std::vector<Position> positions(2);
  std::vector<Evaluation> out(1);
  EXPECT_THROW(evaluate(uniform, positions, out), std::invalid_argument);
}

}  // namespace
}  // namespace quarto
