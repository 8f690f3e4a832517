#include "mcts/rollout.h"

#include <gtest/gtest.h>

#include <numeric>

#include "env/notation.h"
#include "tests/mcts/support.h"

namespace quarto {
namespace {

Evaluation ask(RolloutEvaluator& evaluator, const Position& p) {
  Evaluation e;
  EXPECT_EQ(evaluator.new_batch()->add(p, e), EvaluationBatch::Status::known);
  return e;
}

TEST(Rollout, IsAnOpinion) {
  Rng rng(1);
  RolloutEvaluator evaluator(5, 1);
  for (int i = 0; i < 200; ++i) {
    const Position p = random_position(rng);
    const Evaluation e = ask(evaluator, p);
    EXPECT_NEAR(std::accumulate(e.prior.begin(), e.prior.end(), 0.0), 1, 1e-5);
    EXPECT_NEAR(e.win + e.draw + e.loss, 1, 1e-5);
    for (int m = 0; m < kMoves; ++m) {
      EXPECT_EQ(e.prior[static_cast<std::size_t>(m)] > 0, (sensible_moves(p) >> m) & 1);
    }
  }
}

TEST(Rollout, SensibleMovesTakeWinsAndAvoidLosingGives) {
  Rng rng(2);
  for (int i = 0; i < 500; ++i) {
    const Position p = random_position(rng);
    const Mask sensible = sensible_moves(p);
    ASSERT_NE(sensible, 0);
    EXPECT_EQ(sensible & ~p.legal_moves(), 0);
    if (p.has_hand() && p.winning_squares(p.hand())) {
      EXPECT_EQ(sensible, p.winning_squares(p.hand()));
    }
    if (!p.has_hand() && p.losing_gives() != p.available()) {
      EXPECT_EQ(sensible & p.losing_gives(), 0);
    }
  }
}

TEST(Rollout, KnowsAWinInOneForWhatItIs) {
  RolloutEvaluator evaluator(10, 1);
  EXPECT_EQ(ask(evaluator, parse_position("135./..../..../.... 7")).value(), 1) << "for the placer";
  // One give loses at once, the other leads to a draw: what is left is not a certain loss.
  EXPECT_GT(ask(evaluator, parse_position("135./..../..../.... -")).value(), -1)
      << "the giver has gives that do not lose";
}

TEST(Rollout, ALostGiveIsALossForTheGiver) {
  Rng rng(3);
  RolloutEvaluator evaluator(10, 1);
  for (int lost = 0; lost < 20;) {
    const Position p = random_position_at(22, rng);
    if (p.losing_gives() != p.available()) continue;
    ++lost;
    EXPECT_EQ(ask(evaluator, p).value(), -1) << to_string(p);
  }
}

TEST(Rollout, APositionsPlayoutsDependOnTheSeedAndThePositionAlone) {
  RolloutEvaluator a(20, 1), b(20, 1), c(20, 2);
  const Position p = parse_position("01../.26./..../.... 8"), q = parse_position("01../.26./..../.... 9");
  const float first = ask(a, p).win;
  ask(a, q);
  EXPECT_EQ(ask(a, p).win, first);
  EXPECT_EQ(ask(b, p).win, first);
  int different = 0;
  Rng rng(4);
  for (int i = 0; i < 20; ++i) {
    const Position r = random_position_at(9, rng);
    different += ask(a, r).win != ask(c, r).win;
  }
  EXPECT_GT(different, 5);
}

TEST(Rollout, NeedsAtLeastOnePlayout) { EXPECT_THROW(RolloutEvaluator(0, 1), std::invalid_argument); }

}  // namespace
}  // namespace quarto
