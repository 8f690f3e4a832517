// The tree by itself, built by hand: a give, a place below it, a give below that.
#include "mcts/tree.h"

#include <gtest/gtest.h>

#include <vector>

#include "env/notation.h"
#include "tests/mcts/support.h"

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

// The tree from one move to the next, and its memory.

// Everything a subtree knows, in an order of its own.
void list_subtree(const Tree& t, NodeIndex n, std::vector<double>& out) {
  const Node& node = t.node(n);
  for (const double x : {double(node.visits), double(node.value), double(node.tried_prior), double(node.moves),
                         double(node.won), double(node.drawn()), double(node.lost), double(node.slots)}) {
    out.push_back(x);
  }
  for (int s = 0; s < node.slots; ++s) {
    const EdgeRef e{n, s};
    for (const double x : {double(t.prior(e)), double(t.visits(e)), double(t.value_sum(e))}) out.push_back(x);
    if (t.child(e) != kNoNode) list_subtree(t, t.child(e), out);
  }
}

std::size_t subtree_size(const Tree& t, NodeIndex n) {
  std::size_t size = 1;
  for (int s = 0; s < t.node(n).slots; ++s) {
    if (t.child({n, s}) != kNoNode) size += subtree_size(t, t.child({n, s}));
  }
  return size;
}

TEST(Reuse, TheSubtreeOfTheMovePlayedIsKeptAsItWas) {
  Rng rng(1);
  int kept = 0;
  for (int i = 0; i < 60; ++i) {
    SearchConfig config = plain();
    config.canonical = false;  // so that the tree names moves as the position does
    Search s = searched(random_position_at(static_cast<int>(rng.below(24)), rng), 500, hashed_opinion, config);
    // Down the best moves as far as the tree goes.
    while (!s.tree().empty() && !s.root_proven() && !s.root().is_terminal()) {
      const Tree& t = s.tree();
      const Move best = s.best_move();
      std::vector<double> before, after;
      const NodeIndex child = t.child({0, t.slot(0, best)});
      if (child == kNoNode) break;
      list_subtree(t, child, before);
      const std::size_t size = subtree_size(t, child);
      s.advance(best);
      ASSERT_FALSE(s.tree().empty());
      list_subtree(s.tree(), 0, after);
      ASSERT_EQ(after, before);
      EXPECT_EQ(s.tree().size(), size) << "nothing else is kept";
      EXPECT_EQ(s.simulations(), s.tree().node(0).visits);
      for (NodeIndex n = 1; n < s.tree().size(); ++n) {
        const Node& node = s.tree().node(n);
        ASSERT_LT(node.parent, n);
        ASSERT_EQ(s.tree().child({node.parent, node.parent_slot}), n);
      }
      ++kept;
    }
  }
  EXPECT_GT(kept, 60);
}

TEST(Reuse, GoingOnAfterKeepingIsGoingOnInTheSubtree) {
  // The child searched for n visits inside the parent's tree and then on its own has what it had and grows from there.
  Search s = searched(Position(), 300, hashed_opinion);
  s.advance(s.best_move());
  const int kept = s.simulations();
  ASSERT_GT(kept, 5);
  run(s, kept + 100, hashed_opinion);
  EXPECT_EQ(s.simulations(), kept + 100);
  EXPECT_EQ(s.tree().size(), static_cast<std::size_t>(kept + 100)) << "early in the game every visit is a node";
}

TEST(Reuse, CanBeTurnedOff) {
  SearchConfig config = plain();
  config.tree_reuse = false;
  Search s = searched(Position(), 300, hashed_opinion, config);
  s.advance(s.best_move());
  EXPECT_EQ(s.simulations(), 0);
  EXPECT_TRUE(s.tree().empty());
}

TEST(Reuse, AMoveThatWasNeverTriedStartsAnew) {
  Search s = searched(Position(), 2);
  for (const RootMove& m : s.root_moves()) {
    if (m.visits == 0) {
      s.advance(m.move);
      break;
    }
  }
  EXPECT_EQ(s.simulations(), 0);
  EXPECT_EQ(s.root().ply(), 1);
  run(s, 20);
  EXPECT_EQ(s.simulations(), 20);
}

TEST(Reuse, AnUnansweredLeafIsForgotten) {
  Search s = searched(Position(), 50);
  ASSERT_NE(s.select(60), nullptr);
  s.advance(s.best_move());
  EXPECT_THROW(s.take({}), std::logic_error);
}

TEST(Reuse, AProofIsKept) {
  Rng rng(2);
  int proofs = 0;
  for (int i = 0; i < 80; ++i) {
    Position p = random_position_at(23, rng);
    Search s = searched(p, 3000);
    while (s.root_proven() && !p.is_terminal()) {
      const Move m = s.best_move();
      const Value v = *s.root_proven_value();
      p.play(m);
      s.advance(m);
      run(s, 3000);
      ASSERT_TRUE(s.root_proven()) << to_string(p);
      ASSERT_EQ(*s.root_proven_value(), m.phase == Phase::give ? -v : v) << to_string(p);
      ++proofs;
    }
  }
  EXPECT_GT(proofs, 100);
}

TEST(Reuse, TheEndOfTheGameIsAProvenRootWithoutMoves) {
  Search s = searched(parse_position("135./..../..../.... 7"), 1);
  s.advance(s.best_move());
  EXPECT_TRUE(s.root().is_won());
  EXPECT_EQ(s.root_proven_value(), Value::win);
  EXPECT_EQ(s.select(10), nullptr);
  EXPECT_TRUE(s.root_moves().empty());
  EXPECT_THROW(s.best_move(), std::logic_error);
  EXPECT_THROW(s.policy_target(), std::logic_error);
}

TEST(Memory, IsReusedOverManyGames) {
  Rng rng(3);
  Search s(plain(), 1);
  std::size_t after_ten = 0;
  for (int game = 0; game < 200; ++game) {
    s.set_root(Position());
    while (!s.root().is_terminal()) {
      run(s, 100);
      ASSERT_LE(s.tree().size(), 100U) << "never more nodes than visits";
      s.advance(s.sample_move(1, rng));
    }
    if (game == 10) after_ten = s.tree().memory_bytes();
  }
  EXPECT_EQ(s.tree().memory_bytes(), after_ten);
  EXPECT_LE(after_ten, 100 * (sizeof(Node) + 2 * sizeof(EdgeGroup)));
}

}  // namespace
}  // namespace quarto
