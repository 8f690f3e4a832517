// What the search proves is true, and it proves what there is to prove.
#include <gtest/gtest.h>

#include "env/notation.h"
#include "tests/mcts/support.h"

namespace quarto {
namespace {

// The same gloom about every position, won or not: as misleading as can be.
Evaluation always_losing(const Position& p) { return with_value(uniform_opinion(p), -0.9F); }

TEST(Proof, AWinInOneIsFoundWithOneSimulation) {
  Rng rng(1);
  int wins = 0;
  for (int i = 0; i < 20000 && wins < 300; ++i) {
    Position p =
        random_position_at(6 + 2 * static_cast<int>(rng.below(11)), rng, i % 2 ? Rules::lines : Rules::squares);
    const Mask losing = p.losing_gives();
    if (!losing) continue;
    p.give(piece(random_bit(losing, rng)));
    ++wins;
    const Search s = searched(p, 1, always_losing);
    ASSERT_TRUE(s.root_proven()) << to_string(p);
    EXPECT_EQ(s.root_proven_value(), Value::win);
    EXPECT_EQ(s.root_value(), 1);
    EXPECT_TRUE(p.after(s.best_move()).is_won()) << to_string(p);
    for (const int m : BitsOf(p.empty())) {
      const auto share = s.policy_target()[static_cast<std::size_t>(m)];
      EXPECT_EQ(share > 0, p.after(Move::place(square(m))).is_won());
    }
  }
  EXPECT_EQ(wins, 300);
}

TEST(Proof, ALosingPieceIsNeverGivenWhileASafeOneExists) {
  Rng rng(3);
  int chances = 0;
  for (int i = 0; i < 3000; ++i) {
    const Position p = random_position_at(2 * static_cast<int>(6 + rng.below(9)), rng);
    const Mask losing = p.losing_gives();
    if (!losing || losing == p.available()) continue;
    ++chances;
    // An evaluator that wants nothing but losing gives.
    const auto suicidal = [&](const Position& q) {
      Evaluation e = uniform_opinion(q);
      if (q.has_hand()) return e;
      e.prior.fill(0);
      for (const int m : BitsOf(q.losing_gives())) e.prior[static_cast<std::size_t>(m)] = 1;
      return e;
    };
    for (const int simulations : {0, 1, 2, 30}) {
      const Search s = searched(p, simulations, suicidal);
      ASSERT_FALSE(losing & bit(s.best_move().piece())) << to_string(p);
      ASSERT_FALSE(losing & bit(s.sample_move(10, rng).piece())) << to_string(p);
      const auto target = s.policy_target();
      for (const int m : BitsOf(losing)) ASSERT_EQ(target[static_cast<std::size_t>(m)], 0);
    }
  }
  EXPECT_GT(chances, 500);
}

enum class Tactics { none, one_ply, replies };
SearchConfig with(Tactics tactics) {
  SearchConfig c = plain();
  c.tactics = tactics != Tactics::none;
  c.reply_tactics = tactics == Tactics::replies;
  return c;
}

class EveryTactics : public testing::TestWithParam<Tactics> {};
INSTANTIATE_TEST_SUITE_P(, EveryTactics, testing::Values(Tactics::none, Tactics::one_ply, Tactics::replies),
                         [](const auto& p) {
                           return p.param == Tactics::none      ? "None"
                                  : p.param == Tactics::one_ply ? "OnePly"
                                                                : "Replies";
                         });

TEST_P(EveryTactics, EnoughSimulationsAgreeWithExhaustiveSearch) {
  const SearchConfig config = with(GetParam());
  Rng rng(4);
  std::array<int, 3> seen{};
  for (int i = 0; i < 150; ++i) {
    const Position p =
        random_position_at(22 + static_cast<int>(rng.below(8)), rng, i % 3 ? Rules::lines : Rules::squares);
    const Value exact = minimax(p);
    const Search s = searched(p, 200000, i % 2 ? uniform_opinion : hashed_opinion, config);
    ASSERT_TRUE(s.root_proven()) << to_string(p);
    ASSERT_EQ(s.root_proven_value(), exact) << to_string(p);
    ASSERT_EQ(minimax_of_move(p, s.best_move()), exact) << to_string(p);
    ++seen[static_cast<std::size_t>(static_cast<int>(exact) + 1)];
  }
  for (const int n : seen) EXPECT_GT(n, 10) << "wins, draws and losses must all occur";
}

TEST_P(EveryTactics, WhatIsProvenIsTrueAfterAnyNumberOfSimulations) {
  const SearchConfig config = with(GetParam());
  Rng rng(5);
  int proven_moves = 0;
  for (int i = 0; i < 150; ++i) {
    const Position p = random_position_at(21 + static_cast<int>(rng.below(7)), rng);
    std::array<std::optional<Value>, kMoves> exact;
    for (const int m : BitsOf(p.legal_moves())) {
      exact[static_cast<std::size_t>(m)] = minimax_of_move(p, {p.phase(), static_cast<std::uint8_t>(m)});
    }
    Search s(config, 1);
    s.set_root(p);
    for (int simulations = 1; simulations <= 4096 && !s.root_proven(); simulations *= 2) {
      run(s, simulations, always_losing);
      for (const RootMove& m : s.root_moves()) {
        if (!m.proven()) continue;
        ++proven_moves;
        ASSERT_EQ(m.proven(), exact[m.move.index]) << to_string(p) << " " << to_string(m.move);
        ASSERT_EQ(m.value, static_cast<float>(*m.proven()));
      }
    }
    if (s.root_proven()) {
      ASSERT_EQ(*s.root_proven_value(), minimax(p)) << to_string(p);
    }
  }
  EXPECT_GT(proven_moves, 300);
}

// What is said of a position before the first evaluation, beside the slow search.
TEST(Proof, WhatTheMasksAloneSayIsTrue) {
  Rng rng(9);
  std::array<int, 3> roots{};
  int refuted_places = 0;
  for (int i = 0; i < 4000; ++i) {
    const Position p =
        random_position_at(21 + static_cast<int>(rng.below(11)), rng, i % 2 ? Rules::lines : Rules::squares);
    Search s(plain(), 1);
    s.set_root(p);
    if (s.root_proven()) {
      ASSERT_EQ(s.root_proven_value(), minimax(p)) << to_string(p);
      ++roots[static_cast<std::size_t>(static_cast<int>(*s.root_proven_value()) + 1)];
      if (s.root_proven_value() == Value::win) {
        ASSERT_EQ(minimax_of_move(p, s.best_move()), Value::win) << to_string(p);
      }
    }
    for (const RootMove& m : s.root_moves()) {
      if (!m.proven()) continue;
      ASSERT_EQ(*m.proven(), minimax_of_move(p, m.move)) << to_string(p) << " " << to_string(m.move);
      refuted_places += m.proven() == Value::loss && p.has_hand();
    }
  }
  for (const int n : roots) EXPECT_GT(n, 50);
  EXPECT_GT(refuted_places, 300);
}

TEST(Proof, ReplyTacticsNeedFewerSimulationsForTheSameProofs) {
  Rng rng(10);
  int with_replies = 0, without = 0, both = 0;
  for (int i = 0; i < 300; ++i) {
    const Position p = random_quiet_position_at(20 + static_cast<int>(rng.below(6)), rng);
    const Search a = searched(p, 2000, uniform_opinion, with(Tactics::replies));
    const Search b = searched(p, 2000, uniform_opinion, with(Tactics::one_ply));
    EXPECT_TRUE(a.root_proven() || !b.root_proven()) << to_string(p);
    if (!a.root_proven() || !b.root_proven()) continue;
    ++both;
    with_replies += a.simulations();
    without += b.simulations();
  }
  EXPECT_GT(both, 200);
  EXPECT_LT(with_replies, 0.6 * without);
}

TEST(Proof, AProvenRootEndsTheSearch) {
  Rng rng(7);
  for (int i = 0; i < 50; ++i) {
    Search s = searched(random_position_at(27, rng), 100000);
    ASSERT_TRUE(s.root_proven());
    EXPECT_LT(s.simulations(), 100000);
    EXPECT_EQ(s.select(1000000), nullptr);
  }
}

TEST(Proof, TheLastPlacementIsKnownWithoutAnEvaluation) {
  Rng rng(8);
  std::array<int, 2> seen{};
  for (int i = 0; i < 200; ++i) {
    Position p = random_position_at(30, rng);
    p.give(piece(random_bit(p.available(), rng)));
    Search s(plain(), 1);
    s.set_root(p);
    EXPECT_EQ(s.select(100), nullptr);
    EXPECT_EQ(s.root_proven_value(), minimax(p));
    ++seen[s.root_proven_value() == Value::win];
  }
  EXPECT_GT(seen[0], 10);
  EXPECT_GT(seen[1], 10);
}

// Exact values at the leaves, from an oracle that the search is given.

class Minimax final : public Oracle {
 public:
  std::optional<Value> value(const Position& p) override {
    ++asked;
    most_empty = std::max(most_empty, std::popcount(p.empty()));
    EXPECT_FALSE(p.is_terminal());
    return minimax(p);
  }
  int asked = 0, most_empty = 0;
};

SearchConfig with_oracle(int squares) {
  SearchConfig c = plain();
  c.oracle_squares = squares;
  return c;
}

TEST(LeafOracle, IsAskedOnlyBelowItsNumberOfSquares) {
  Rng rng(1);
  Minimax oracle;
  for (int i = 0; i < 100; ++i) {
    Search s = searched(random_position_at(20 + static_cast<int>(rng.below(4)), rng), 100, uniform_opinion,
                        with_oracle(4), {.oracle = &oracle});
  }
  EXPECT_GT(oracle.asked, 100);
  EXPECT_EQ(oracle.most_empty, 4);
  const int before = oracle.asked;
  Search off = searched(random_position_at(26, rng), 100, uniform_opinion, plain(), {.oracle = &oracle});
  EXPECT_EQ(oracle.asked, before);
}

TEST(LeafOracle, MakesTrueProofsWithFewerSimulations) {
  Rng rng(2);
  int with = 0, without = 0;
  for (int i = 0; i < 40; ++i) {
    const Position p = random_position_at(22 + static_cast<int>(rng.below(3)), rng);
    Minimax oracle;
    Search s = searched(p, 100000, uniform_opinion, with_oracle(4), {.oracle = &oracle});
    const Search plain = searched(p, 100000);
    ASSERT_EQ(s.root_proven_value(), minimax(p)) << to_string(p);
    for (const RootMove& m : s.root_moves()) {
      if (m.proven()) {
        ASSERT_EQ(*m.proven(), minimax_of_move(p, m.move));
      }
    }
    with += s.simulations();
    without += plain.simulations();
  }
  EXPECT_LT(with, without / 2);
}

TEST(LeafOracle, IsNotAskedAboutTheRootItself) {
  // A root that is decided before anything is tried would have no policy to learn from.
  Rng rng(3);
  for (int i = 0; i < 50; ++i) {
    Minimax oracle;
    Search s(with_oracle(16), 1, &oracle);
    s.set_root(random_position_at(26, rng));
    if (s.root_proven()) continue;
    EXPECT_EQ(oracle.asked, 0);
    run(s, 100);
    EXPECT_TRUE(s.root_proven());
    for (const RootMove& m : s.root_moves()) EXPECT_TRUE(m.proven() || s.root_proven_value() == Value::win);
  }
}

TEST(LeafOracle, ThatIsNeededAndMissingIsAnError) { EXPECT_THROW(Search(with_oracle(4), 1), std::invalid_argument); }

}  // namespace
}  // namespace quarto
