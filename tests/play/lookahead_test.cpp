#include "play/lookahead.h"

#include <gtest/gtest.h>

#include "env/notation.h"
#include "env/one_ply.h"
#include "solver/solver.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

// Every line of play to the horizon, without any pruning.
Value slow_value(const Position& p, int plies) {
  if (p.is_terminal()) return p.terminal_value();
  if (plies == 0) return Value::draw;
  Value best = Value::loss;
  for (const int m : BitsOf(p.legal_moves())) {
    const Value v = slow_value(p.after({p.phase(), static_cast<std::uint8_t>(m)}), plies - 1);
    best = std::max(best, p.has_hand() ? v : -v);
  }
  return best;
}

Solver small_solver() { return Solver({.table_bytes = std::size_t{16} << 20, .threads = 1}); }

TEST(Lookahead, IsThePlainSearchOfItsDepth) {
  Rng rng(1);
  for (int i = 0; i < 60; ++i) {
    const Rules rules = i % 3 == 0 ? Rules::squares : Rules::lines;
    const Position p = random_position_at(22 + static_cast<int>(rng.below(9)), rng, rules);
    for (int plies = 0; plies <= 5; ++plies) {
      EXPECT_EQ(lookahead_value(p, plies), slow_value(p, plies)) << to_string(p) << ", " << plies << " plies";
    }
  }
}

TEST(Lookahead, ToTheEndOfTheGameIsExact) {
  Rng rng(2);
  Solver solver = small_solver();
  for (int i = 0; i < 40; ++i) {
    const Position p = random_position_at(21 + static_cast<int>(rng.below(10)), rng);
    EXPECT_EQ(lookahead_value(p, 32 - p.ply()), solver.solve(p).value) << to_string(p);
  }
}

// A win that N plies show is a win, fewer plies do not show it, and the move that brings it is found with N.
TEST(Lookahead, FindsAForcedWinWithItsDepthAndNotWithLess) {
  Rng rng(3);
  Solver solver = small_solver();
  int wins = 0;
  for (int i = 0; i < 400; ++i) {
    const Position p = random_quiet_position_at(19 + static_cast<int>(rng.below(6)), rng);
    int plies = 1;
    while (plies <= 32 - p.ply() && lookahead_value(p, plies) != Value::win) ++plies;
    const bool won = solver.solve(p).value == Value::win;
    ASSERT_EQ(won, plies <= 32 - p.ply()) << to_string(p);
    if (!won) continue;
    ++wins;
    for (int n = 1; n < plies; ++n) EXPECT_NE(lookahead_value(p, n), Value::win) << to_string(p) << ", " << n;
    const Move m = lookahead_move(p, plies, rng);
    const Value after = *solver.solve(p.after(m)).value;
    EXPECT_EQ(p.has_hand() ? after : -after, Value::win) << to_string(p) << " " << to_string(m);
  }
  EXPECT_GT(wins, 40);
}

TEST(Lookahead, OfTwoPliesGivesNoLoserAndOfThreePlacesSo) {
  Rng rng(4);
  for (int i = 0; i < 400; ++i) {
    const Position p = random_position_at(8 + static_cast<int>(rng.below(22)), rng);
    const Move m = lookahead_move(p, p.has_hand() ? 3 : 2, rng);
    if (p.has_hand() && p.winning_squares(p.hand())) {
      EXPECT_TRUE(p.after(m).is_won()) << to_string(p);
    } else if (const Mask safe = safe_moves(p)) {
      EXPECT_TRUE((safe >> m.index) & 1U) << to_string(p) << " " << to_string(m);
    }
  }
}

TEST(Lookahead, TiesGoAtRandom) {
  Rng rng(5);
  Mask given = 0;
  for (int i = 0; i < 400; ++i) given |= static_cast<Mask>(1U << lookahead_move(Position(), 2, rng).index);
  EXPECT_EQ(given, 0xFFFF);
}

}  // namespace
}  // namespace quarto
