// The tree by itself, built by hand: a give, a place below it, a give below that.
#include "mcts/tree.h"

#include <gtest/gtest.h>

#include <vector>

namespace quarto {
namespace {

// Root (give; pieces 1, 4, 9) -> piece 4 -> (place; ten squares from a2 on) -> c3 = slot 6 -> (give; pieces 1 and 9).
struct Chain {
  Tree tree;
  std::vector<float> ten = std::vector<float>(10, 0.1F);
  static constexpr EdgeRef kGive{0, 1}, kPlace{1, 6};

  Chain() {
    const std::vector<float> three = {0.5F, 0.3F, 0.2F}, two = {0.5F, 0.5F};
    tree.add({}, Phase::give, 0x0212, three, {0.25F, 0.5F});
    tree.add(kGive, Phase::place, 0x3FF0, ten, {0.125F, 0.5F});
    tree.back_up(kGive, {-0.125F, 0.5F});
    tree.add(kPlace, Phase::give, 0x0202, two, {0.5F, 0.5F});
    tree.back_up(kPlace, {0.5F, 0.5F});
  }
  // A simulation that ends with a proven value.
  void prove(EdgeRef edge, Value value) {
    tree.tighten(edge, ValueBounds::exactly(value));
    tree.back_up(edge, Outcome::exactly(value));
  }
};

TEST(Tree, SumsChangeSignAcrossGivesOnly) {
  const Chain c;
  EXPECT_FLOAT_EQ(c.tree.value_sum(Chain::kPlace), 0.5F);
  EXPECT_FLOAT_EQ(c.tree.node(1).value, 0.125F + 0.5F);
  EXPECT_FLOAT_EQ(c.tree.value_sum(Chain::kGive), -0.125F - 0.5F);
  EXPECT_FLOAT_EQ(c.tree.node(0).value, 0.25F - 0.125F - 0.5F);
  EXPECT_EQ(c.tree.node(0).visits, 3);
  EXPECT_EQ(c.tree.node(1).visits, 2);
  EXPECT_EQ(c.tree.node(2).visits, 1);
}

TEST(Tree, ALossThatDecidesNothingIsBackedUpAsALoss) {
  Chain c;
  c.prove({2, 0}, Value::loss);
  EXPECT_EQ(c.tree.proven(EdgeRef{2, 0}), Value::loss);
  EXPECT_EQ(c.tree.proven(NodeIndex{2}), std::nullopt);
  EXPECT_EQ(c.tree.proven(Chain::kPlace), std::nullopt);
  EXPECT_FLOAT_EQ(c.tree.value_sum(Chain::kPlace), 0.5F - 1);
  EXPECT_FLOAT_EQ(c.tree.value_sum(Chain::kGive), -0.625F + 1);
  EXPECT_EQ(c.tree.choose(2, PuctParameters(SearchConfig{})), 1) << "a lost move is not tried again";
}

TEST(Tree, AWinProvesEverythingUpToTheFirstOpenQuestion) {
  Chain c;
  c.prove({2, 1}, Value::win);
  // The giver of node 2 wins, so placing on c3 wins, so giving piece 4 loses; the root has other pieces to give.
  EXPECT_EQ(c.tree.proven(NodeIndex{2}), Value::win);
  EXPECT_EQ(c.tree.proven(Chain::kPlace), Value::win);
  EXPECT_EQ(c.tree.proven(Chain::kGive), Value::loss);
  EXPECT_EQ(c.tree.proven(NodeIndex{0}), std::nullopt);
  EXPECT_FLOAT_EQ(c.tree.value_sum(Chain::kPlace), 2) << "what was thought before the proof is forgotten at the edge";
  EXPECT_FLOAT_EQ(c.tree.value_sum(Chain::kGive), -3);
  EXPECT_FLOAT_EQ(c.tree.node(0).value, -0.375F - 1);
}

TEST(Tree, ANodeWithoutAWinIsAsGoodAsItsBestMoveOnceAllAreProven) {
  Chain c;
  c.prove({2, 0}, Value::loss);
  c.prove({2, 1}, Value::draw);
  EXPECT_EQ(c.tree.proven(NodeIndex{2}), Value::draw);
  EXPECT_EQ(c.tree.proven(Chain::kPlace), Value::draw);
  EXPECT_FLOAT_EQ(c.tree.value_sum(Chain::kPlace), 0);
  EXPECT_EQ(c.tree.proven(NodeIndex{1}), std::nullopt) << "nine squares are open";

  Chain lost;
  lost.prove({2, 0}, Value::loss);
  lost.prove({2, 1}, Value::loss);
  EXPECT_EQ(lost.tree.proven(Chain::kPlace), Value::loss);
}

TEST(Tree, NewPriorsKeepTheAccountOfWhatWasTried) {
  Chain c;
  EXPECT_FLOAT_EQ(c.tree.node(0).tried_prior, 0.3F);
  const std::vector<float> priors = {0.2F, 0.7F, 0.1F};
  c.tree.set_priors(0, priors);
  EXPECT_FLOAT_EQ(c.tree.node(0).tried_prior, 0.7F);
}

}  // namespace
}  // namespace quarto
