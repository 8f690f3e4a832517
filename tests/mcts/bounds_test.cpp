// A search with proofs: what it knows is true, it uses what it knows, and without proofs it is the search of before.
#include <gmock/gmock.h>

#include <optional>

#include "env/notation.h"
#include "tests/mcts/support.h"

namespace quarto {
namespace {

// Bounds of nodes and edges below a node that do not hold, or that do not follow from each other.
struct Mistakes {
  int checked = 0, wrong = 0, loose = 0;
};
void check(const Tree& tree, NodeIndex node, const Position& p, Mistakes& found) {
  const auto holds = [&found](ValueBounds b, Value exact) {
    ++found.checked;
    found.wrong += exact < b.low || exact > b.high;
  };
  const ValueBounds own = tree.bounds(node);
  holds(own, minimax(p));
  ValueBounds from_moves{Value::loss, Value::loss};
  for (int s = 0; s < tree.node(node).slots; ++s) {
    const EdgeRef edge{node, s};
    const Move move = tree.move(node, s);
    const ValueBounds b = tree.bounds(edge);
    holds(b, minimax_of_move(p, move));
    from_moves.low = std::max(from_moves.low, b.low);
    from_moves.high = std::max(from_moves.high, b.high);
    const NodeIndex child = tree.child(edge);
    if (child == kNoNode) continue;
    const ValueBounds behind = tree.bounds(child);
    const ValueBounds seen = move.phase == Phase::give ? -behind : behind;
    // A child tells its parent all it knows.
    found.loose += seen.low > b.low || seen.high < b.high;
    check(tree, child, p.after(move), found);
  }
  // A node knows what follows from its moves, by plain minimax over their bounds.
  found.loose += from_moves.low > own.low || from_moves.high < own.high;
}

// Looks at the tree at the end of each search or, with `step` 1, after every simulation, and stops at the first wrong
// bound: a search must not go on with bounds that contradict each other.
Mistakes mistakes_of(const Prover& prover, int positions, int step = 1000) {
  Rng rng(1);
  Mistakes found;
  for (int i = 0; i < positions; ++i) {
    SearchConfig config = proving(1 + static_cast<int>(rng.below(60)), 5, 2);
    config.canonical = false;  // so that the tree is about the position itself
    config.root = i % 4 == 0 ? RootSelection::gumbel : RootSelection::puct;
    config.tactics = i % 3 != 0;
    config.reply_tactics = config.tactics;
    const Position p =
        random_position_at(21 + static_cast<int>(rng.below(4)), rng, i % 2 ? Rules::lines : Rules::squares);
    Search s(config, 1);
    s.set_root(p);
    const int simulations = 1 + static_cast<int>(rng.below(60));
    for (int done = 0; done < simulations && found.wrong == 0;) {
      done = std::min(done + step, simulations);
      run(s, done, hashed_opinion, &prover);
      if (!s.tree().empty()) check(s.tree(), 0, p, found);
    }
    if (found.wrong > 0) return found;
    for (const RootMove& m : s.root_moves()) {
      const Value exact = minimax_of_move(p, m.move);
      ++found.checked;
      found.wrong += exact < m.bounds.low || exact > m.bounds.high;
    }
    if (const auto proven = s.root_proven_value()) found.wrong += *proven != minimax(p);
  }
  return found;
}

TEST(Bounds, AreTrueAndFollowFromEachOtherEverywhereInTheTree) {
  SlowProver prover;
  const Mistakes found = mistakes_of(prover, 600);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_EQ(found.loose, 0);
  EXPECT_GT(found.checked, 5000);
}

TEST(Bounds, NothingIsAskedForBeyondItsSquaresOrWithoutNodes) {
  Rng rng(3);
  for (const int nodes : {5, 0}) {
    SlowProver prover;
    Search s(proving(nodes, 6), 1);
    s.set_root(random_position_at(18, rng));  // seven empty squares
    EXPECT_EQ(s.tree().bounded(), nodes > 0);
    run(s, 100, hashed_opinion, &prover);
    EXPECT_EQ(prover.asked > 0, nodes > 0);
    EXPECT_EQ(prover.most_empty, nodes > 0 ? 6 : 0);
  }
  UniformEvaluator blind;
  Search s(proving(5, 7), 1);
  s.set_root(parse_position("01../4.8./BF6./.A.2 -"));
  Search* one = &s;
  EXPECT_THROW(run_searches({&one, 1}, *blind.new_batch(), 50), std::logic_error) << "it cannot prove";
}

// Whether it can be won is asked as soon as it has been expanded, and only that.
TEST(Bounds, TheRootIsAskedAboutFirst) {
  Search s(proving(5, 7), 1);
  s.set_root(parse_position("01../4.8./BF6./.A.2 -"));
  s.take(answer_to(*s.select(10)));
  const Question* question = s.select(10);
  EXPECT_EQ(question->known, (ValueBounds{Value::draw, Value::win}));
  EXPECT_FALSE(question->evaluate);
  EXPECT_EQ(question->nodes, 5U);
  EXPECT_EQ(canonical_key(question->position), canonical_key(s.root()));
  s.take({{}, ValueBounds::exactly(Value::draw)});
  EXPECT_EQ(s.tree().bounds(NodeIndex{0}), (ValueBounds{Value::loss, Value::draw})) << "the draw was assumed";
}

TEST(Bounds, LeavesGetFewerNodesWhereManySquaresAreEmpty) {
  for (const auto& [pieces, nodes] : {std::pair(7, 1600U), {6, 400U}, {5, 100U}, {4, 25U}}) {
    Rng rng(8);
    Search s(proving(1600, 16), 1);
    s.set_root(random_position_at(2 * pieces - 1, rng));  // a piece in hand; leaves have one piece more
    int leaves = 0;
    while (const Question* question = s.select(40)) {
      if (question->evaluate && s.simulations() > 0) {
        ++leaves;
        ASSERT_LE(question->nodes, 4 * nodes);
        if (std::popcount(question->position.empty()) == kSquares - pieces) {
          EXPECT_EQ(question->nodes, nodes);
        }
      } else if (s.simulations() > 1) {
        EXPECT_EQ(question->nodes % 1600, 0U) << "what is asked again gets all of them";
      }
      s.take(answer_to(*question));
    }
    EXPECT_GT(leaves, 5);
  }
}

TEST(Bounds, APositionIsAskedAboutAgainAsItsVisitsGrow) {
  Rng rng(4);
  SlowProver once, again;
  for (int i = 0; i < 20; ++i) {
    const Position p = random_position_at(17, rng);
    for (auto [prover, growth] : {std::pair(&once, 0), std::pair(&again, 2)}) {
      Search s = searched(p, 200, hashed_opinion, proving(1, 8, growth), {.prover = prover});
    }
  }
  EXPECT_GT(again.asked, once.asked * 5 / 4);
}

// Proofs that a plain search does not get with so few simulations.
TEST(Bounds, AProvenRootEndsTheSearchAndOnlyMovesThatReachItsValueAreLearned) {
  Rng rng(5);
  SlowProver prover;
  int ended = 0, simulations = 0, plain = 0;
  for (int i = 0; i < 60; ++i) {
    const Position p = random_position_at(22 + static_cast<int>(rng.below(2)), rng);
    Search s = searched(p, 50, hashed_opinion, proving(200), {.prover = &prover});
    if (!s.root_proven()) continue;
    ++ended;
    simulations += s.simulations();
    plain += searched(p, 50, hashed_opinion).simulations();
    const Value value = minimax(p);
    ASSERT_EQ(s.root_value(), static_cast<float>(value)) << to_string(p);
    ASSERT_EQ(minimax_of_move(p, s.best_move()), value) << to_string(p);
    const auto target = s.policy_target();
    for (const Move m : p.moves()) {
      if (target[m.index] > 0) {
        ASSERT_EQ(minimax_of_move(p, m), value) << to_string(p) << " " << to_string(m);
      }
    }
    ASSERT_EQ(minimax_of_move(p, s.sample_move(1, rng)), value);
  }
  EXPECT_GT(ended, 40);
  EXPECT_LT(2 * simulations, plain);
}

// What best_move() promises of searches that a prover has not ended.
TEST(Bounds, AMoveThatDrawsAtLeastIsPreferredUnlessAnotherStillLooksLikeAWin) {
  Rng rng(6);
  SlowProver prover;
  int held = 0, hoped = 0;
  for (int i = 0; i < 3000; ++i) {
    const Position p = random_position_at(19 + static_cast<int>(rng.below(5)), rng);
    SearchConfig config = proving(400, 6, 2);
    config.tactics = config.reply_tactics = i % 2 == 0;
    Search s = searched(p, 1 + static_cast<int>(rng.below(20)), hashed_opinion, config, {.prover = &prover});
    const auto moves = s.root_moves();
    const auto holds = [](const RootMove& m) { return m.bounds.low >= Value::draw; };
    if (s.root_proven() || std::none_of(moves.begin(), moves.end(), holds)) continue;
    const Move best = s.best_move();
    const RootMove& chosen =
        *std::find_if(moves.begin(), moves.end(), [&](const RootMove& m) { return m.move == best; });
    const auto hopeful = [](const RootMove& m) { return m.bounds.high == Value::win && m.value > 0; };
    const bool some_hope = std::any_of(moves.begin(), moves.end(), hopeful);
    ASSERT_TRUE(some_hope ? hopeful(chosen) : holds(chosen)) << to_string(p);
    ++(some_hope ? hoped : held);
  }
  EXPECT_GT(hoped, 10);
  EXPECT_GT(held, 10);
}

// Where only proven draws are left no simulation needs an evaluation, and there is no end but the target.
TEST(Bounds, ASearchEndsBeforeItsTargetWhenItIsToldSo) {
  Rng rng(7);
  SlowProver prover;
  for (const SearchConfig& config : {proving(1, 6), plain()}) {
    int stopped = 0;
    for (int i = 0; i < 200; ++i) {
      Search s(config, 1);
      s.set_root(random_position_at(20 + i % 10, rng));
      int asked = 0;
      s.stop_when([&] { return ++asked == 3; });
      run(s, 10'000, hashed_opinion, &prover);
      EXPECT_LE(asked, 3);
      EXPECT_TRUE(s.root_proven() || asked == 3 || s.simulations() == 10'000) << to_string(s.root());
      if (s.root_proven() || asked < 3) continue;
      EXPECT_LT(s.simulations(), 10'000);
      ++stopped;
      const int simulations = s.simulations();
      s.stop_when(nullptr);
      run(s, simulations + 1, hashed_opinion, &prover);
      EXPECT_TRUE(s.root_proven() || s.simulations() > simulations) << "it goes on";
    }
    EXPECT_GT(stopped, 10);
  }
}

// A give (pieces 1, 4, 9) with two nodes below it, built by hand.
struct Bounded {
  Tree tree{true};
  std::vector<float> thirds = std::vector<float>(3, 1.0F / 3);
  Bounded() {
    tree.add({}, Phase::place, 0x0212, thirds, {0, 1});
    for (int s = 0; s < 2; ++s) {
      tree.add({0, s}, Phase::give, 0x0007, thirds, {0, 1});
      tree.back_up({0, s}, {s == 0 ? 0.2F : -0.2F, 1});
    }
  }
};

TEST(BoundedTree, ABoundRemovesAShareAndNotTheOrderOfMoves) {
  Bounded b;
  EXPECT_FLOAT_EQ(b.tree.mean({0, 0}), 0.2F);
  EXPECT_FLOAT_EQ(b.tree.mean({0, 1}), -0.2F);
  // The root cannot be won: wins are no longer counted, and the moves still differ by their losses.
  b.tree.tighten(NodeIndex{0}, {Value::loss, Value::draw});
  EXPECT_FLOAT_EQ(b.tree.mean({0, 0}), -0.4F);
  EXPECT_FLOAT_EQ(b.tree.mean({0, 1}), -0.6F);
  EXPECT_EQ(b.tree.bounds(EdgeRef{0, 2}).high, Value::draw);
  EXPECT_LT(b.tree.mean(NodeIndex{0}), 0);
}

TEST(BoundedTree, AMoveThatCannotBeatWhatIsInHandIsNotTried) {
  Bounded b;
  b.tree.tighten({0, 0}, {Value::draw, Value::win});
  b.tree.tighten({0, 1}, {Value::loss, Value::draw});
  EXPECT_EQ(b.tree.bounds(NodeIndex{0}), (ValueBounds{Value::draw, Value::win}));
  EXPECT_EQ(b.tree.worth_trying(0), 0b101);
  b.tree.tighten({0, 2}, {Value::loss, Value::draw});
  EXPECT_EQ(b.tree.worth_trying(0), 0b001);
  b.tree.tighten({0, 0}, {Value::draw, Value::draw});
  EXPECT_EQ(b.tree.proven(NodeIndex{0}), Value::draw);
}

TEST(BoundedTree, TheLowerBoundOfANodeIsForgottenWhenItBecomesTheRoot) {
  Bounded b;
  const NodeIndex below = b.tree.child({0, 0});
  b.tree.tighten(below, {Value::draw, Value::win});
  EXPECT_EQ(b.tree.bounds(below).low, Value::draw);
  b.tree.keep(below);
  EXPECT_EQ(b.tree.bounds(NodeIndex{0}).low, Value::loss) << "no move is known to hold it";
}

}  // namespace
}  // namespace quarto
