#include "light/pairs_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "env/notation.h"
#include "env/symmetry.h"
#include "light/evaluator.h"
#include "tests/light/some_weights.h"
#include "tests/support/random_positions.h"

namespace quarto::light {
namespace {

TEST(PairsKernel, ImagesOfAPositionGetTheImagesOfItsAnswer) {
  Rng rng(3);
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    const PairsShape shape{16, 2, 32};
    const auto kernel = PairsKernel::make(shape, some_weights(shape, 1));
    const auto workspace = kernel->new_workspace();
    for (int i = 0; i < 60; ++i) {
      const Position p = random_position(rng, rules);
      const Symmetry g = symmetry(static_cast<int>(rng.below(static_cast<std::uint64_t>(symmetry_count(rules)))));
      const PairsOutput a = kernel->forward(p, *workspace), b = kernel->forward(apply(g, p), *workspace);
      for (const int m : BitsOf(p.legal_moves())) {
        const Move image = apply(g, Move{p.phase(), static_cast<std::uint8_t>(m)}, rules);
        EXPECT_NEAR(a.policy[static_cast<std::size_t>(m)], b.policy[image.index], 1e-4) << to_string(p);
      }
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.outcome[k], b.outcome[k], 1e-4) << to_string(p);
    }
  }
}

// The derivative along a random direction, against a difference. In float32, so not very near; a forgotten or doubled
// path is far off. (Every single weight's is compared with LibTorch's in pairs_parity_test.)
TEST(PairsKernel, GradientsAreSlopes) {
  const PairsShape shape{16, 2, 32};
  const Floats weights = some_weights(shape, 2);
  Rng rng(5);
  int close = 0, tried = 0;
  for (int plies = 14; plies < 30; plies += 1) {
    const Position p = random_position_at(plies, rng);
    PairsOutput d{};
    for (const int m : BitsOf(p.legal_moves()))
      d.policy[static_cast<std::size_t>(m)] = static_cast<float>(rng.normal());
    for (float& x : d.outcome) x = static_cast<float>(rng.normal());
    Floats direction(weights.size());
    for (float& x : direction) x = static_cast<float>(rng.normal());
    const auto loss = [&](float step) {
      Floats moved = weights;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * direction[i];
      const auto kernel = PairsKernel::make(shape, moved);
      const auto workspace = kernel->new_workspace();
      const PairsOutput out = kernel->forward(p, *workspace);
      double sum = 0;
      for (const int m : BitsOf(p.legal_moves())) {
        sum += static_cast<double>(d.policy[static_cast<std::size_t>(m)]) * out.policy[static_cast<std::size_t>(m)];
      }
      for (std::size_t k = 0; k < 3; ++k) sum += static_cast<double>(d.outcome[k]) * out.outcome[k];
      return sum;
    };
    const auto kernel = PairsKernel::make(shape, weights);
    const auto workspace = kernel->new_workspace();
    kernel->forward(p, *workspace);
    Floats gradient(weights.size(), 0.0F);
    kernel->backward(d, *workspace, gradient);
    double slope = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) slope += static_cast<double>(gradient[i]) * direction[i];
    const double difference = (loss(1e-4F) - loss(-1e-4F)) / 2e-4;
    ++tried;
    close += std::abs(difference - slope) <= 0.05 * std::abs(slope) + 0.02;
  }
  EXPECT_GE(tried, 12);
  // A kink between the two points is possible, but rare.
  EXPECT_GE(close, tried - 2);
}

TEST(PairsKernel, RefusesWhatItCannotUse) {
  EXPECT_FALSE(PairsKernel::supports({24, 2, 32}));
  EXPECT_THROW(PairsKernel::make({24, 2, 32}, {}), std::invalid_argument);
  const PairsShape shape{16, 1, 32};
  Floats weights = some_weights(shape, 1);
  EXPECT_THROW(PairsKernel::make({16, 2, 32}, weights), std::invalid_argument) << "too few";
  weights[100] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(PairsKernel::make(shape, weights), std::runtime_error) << "a ReLU would hide it";
}

TEST(PairsEvaluator, GivesDistributionsAndRefusesFinishedGames) {
  const PairsShape shape{16, 1, 32};
  PairsEvaluator evaluator(PairsKernel::make(shape, some_weights(shape, 4)));
  const auto batch = evaluator.new_batch();
  std::vector<Position> positions = unfinished_positions(40, Rules::lines, 6);
  positions.emplace_back();
  std::vector<Evaluation> out(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) batch->add(positions[i], out[i]);
  EXPECT_EQ(batch->size(), positions.size());
  batch->compute();
  EXPECT_EQ(batch->size(), 0U);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    float sum = 0;
    for (int m = 0; m < kMoves; ++m) {
      const float p = out[i].prior[static_cast<std::size_t>(m)];
      EXPECT_EQ(p > 0, ((positions[i].legal_moves() >> m) & 1) != 0);
      sum += p;
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_NEAR(out[i].win + out[i].draw + out[i].loss, 1, 1e-5);
  }
  Evaluation e;
  EXPECT_THROW(batch->add(parse_position("0123/..../..../.... -"), e), std::invalid_argument);
}

}  // namespace
}  // namespace quarto::light
