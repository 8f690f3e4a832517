#include "env/evaluator.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "env/network_loader.h"
#include "tests/support/message_of.h"
#include "tests/support/random_positions.h"
#include "tests/support/scripted_evaluator.h"

namespace quarto {
namespace {

TEST(UniformEvaluator, SpreadsThePriorOverTheLegalMoves) {
  UniformEvaluator uniform;
  const std::vector<Position> positions = unfinished_positions(100, Rules::lines, 1);
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

// No position is won.
class AtMostADraw final : public Prover {
 public:
  ValueBounds bounds(const Position& /*position*/, std::uint64_t nodes, ValueBounds known) const override {
    asked_nodes = nodes;
    return {known.low, Value::draw};
  }
  mutable std::uint64_t asked_nodes = 0;
};

TEST(ProvingEvaluator, AsksTheOtherWhatTheProofLeavesOpen) {
  const AtMostADraw prover;
  Scripted network([&](const Position&) { return Evaluation{{1}, 0.5F, 0.5F, 0}; });
  ProvingEvaluator proving(network, prover);
  const auto batch = proving.new_batch();
  Answer answer;
  const Position p;
  EXPECT_EQ(batch->ask({.position = p, .nodes = 7}, answer), EvaluationBatch::Status::queued);
  EXPECT_EQ(prover.asked_nodes, 7U);
  EXPECT_EQ(batch->size(), 1U);
  batch->compute();
  EXPECT_EQ(answer.bounds, (ValueBounds{Value::loss, Value::draw}));
  EXPECT_EQ(answer.evaluation.win, 0.5F);

  const ValueBounds no_loss{Value::draw, Value::win};
  EXPECT_EQ(batch->ask({.position = p, .known = no_loss, .nodes = 7}, answer), EvaluationBatch::Status::known);
  EXPECT_EQ(answer.bounds, ValueBounds::exactly(Value::draw));
  EXPECT_EQ(batch->ask({.position = p, .nodes = 7, .evaluate = false}, answer), EvaluationBatch::Status::known);
  EXPECT_EQ(batch->ask({.position = p, .known = no_loss}, answer), EvaluationBatch::Status::queued);
  EXPECT_EQ(answer.bounds, no_loss) << "without nodes nothing is proven";
  batch->compute();
  EXPECT_EQ(network.evaluated, 2U);
}

TEST(ProvingEvaluator, ADeviceThatDoesNotProveIsAnError) {
  UniformEvaluator uniform;
  const AtMostADraw prover;
  EXPECT_THROW(ProvingEvaluator(uniform, prover, true).new_batch(), std::runtime_error);
}

TEST(ProvingEvaluator, OthersRefuseToProve) {
  UniformEvaluator uniform;
  Answer answer;
  EXPECT_THROW(uniform.new_batch()->ask({.position = Position(), .nodes = 1}, answer), std::logic_error);
}

TEST(Evaluate, NeedsAsManyResultsAsPositions) {
  UniformEvaluator uniform;
  std::vector<Position> positions(2);
  std::vector<Evaluation> out(1);
  EXPECT_THROW(evaluate(uniform, positions, out), std::invalid_argument);
}

TEST(LoadedNetworks, OfOtherRulesAreRefusedWithTheirName) {
  LoadedNetwork network;
  network.rules = Rules::squares;
  EXPECT_NO_THROW(require_rules(network, "a.light", Rules::squares));
  EXPECT_EQ(message_of<NetworkMismatch>([&] { require_rules(network, "a.light", Rules::lines); }),
            "a.light: this network was trained for the rules 'squares', not 'lines': use --rules squares");
}

TEST(LikeliestMove, IsTheFirstLegalOneOfTheLargestPrior) {
  Rng rng(2);
  for (int i = 0; i < 500; ++i) {
    const Position p = random_position(rng);
    Evaluation evaluation;
    for (float& prior : evaluation.prior) prior = static_cast<float>(rng.below(4));
    const Move likeliest = likeliest_move(p, evaluation);
    ASSERT_TRUE(p.is_legal(likeliest));
    for (const Move m : p.moves()) {
      ASSERT_LE(evaluation.prior[m.index], evaluation.prior[likeliest.index]);
      if (m.index < likeliest.index) {
        ASSERT_LT(evaluation.prior[m.index], evaluation.prior[likeliest.index]);
      }
    }
  }
}

}  // namespace
}  // namespace quarto
