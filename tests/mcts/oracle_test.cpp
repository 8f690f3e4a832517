// Exact values at the leaves, from an oracle that the search is given.
#include <gtest/gtest.h>

#include "env/notation.h"
#include "tests/mcts/support.h"

namespace quarto {
namespace {

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
    Search s(with_oracle(4), 1, {.oracle = &oracle});
    s.set_root(random_position_at(20 + static_cast<int>(rng.below(4)), rng));
    run(s, 100);
  }
  EXPECT_GT(oracle.asked, 100);
  EXPECT_EQ(oracle.most_empty, 4);
  const int before = oracle.asked;
  Search off(plain(), 1, {.oracle = &oracle});
  off.set_root(random_position_at(26, rng));
  run(off, 100);
  EXPECT_EQ(oracle.asked, before);
}

TEST(LeafOracle, MakesTrueProofsWithFewerSimulations) {
  Rng rng(2);
  int with = 0, without = 0;
  for (int i = 0; i < 40; ++i) {
    const Position p = random_position_at(22 + static_cast<int>(rng.below(3)), rng);
    Minimax oracle;
    Search s(with_oracle(4), 1, {.oracle = &oracle});
    s.set_root(p);
    run(s, 100000);
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
    Search s(with_oracle(16), 1, {.oracle = &oracle});
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
