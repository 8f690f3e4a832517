// A game tree's size, beside plain recursion, and as a bound of what a prover's questions take.
#include "solver/tree_size.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "env/notation.h"
#include "env/random_play.h"
#include "solver/prover.h"
#include "solver/solver.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

Mask safe_gives(const Position& p) { return static_cast<Mask>(p.legal_moves() & ~p.losing_gives()); }

// The same with the rules as env has them.
std::uint64_t counted(const Position& p) {
  std::uint64_t count = 0;
  if (p.has_hand()) {
    if (p.winning_squares(p.hand())) return 0;
    for (const int s : BitsOf(p.legal_moves())) {
      const Position next = p.after(Move::place(square(s)));
      if (!next.is_terminal() && safe_gives(next)) count += counted(next);
    }
    return count;
  }
  if (std::popcount(p.empty()) < 2 || safe_gives(p) == 0) return 0;
  for (const int m : BitsOf(safe_gives(p))) count += counted(p.after(Move::give(piece(m))));
  return count + 1;
}

TEST(TreeSize, IsThatOfPlainRecursion) {
  Rng rng(1);
  int some = 0;
  for (int i = 0; i < repeated(2000); ++i) {
    const Position p =
        random_position_at(18 + static_cast<int>(rng.below(12)), rng, i % 2 ? Rules::lines : Rules::squares);
    if (p.is_terminal()) continue;
    const std::uint64_t size = counted(p);
    ASSERT_EQ(tree_size(p, 100'000'000), size) << to_string(p);
    ASSERT_EQ(tree_size(p, size), size) << to_string(p);
    if (size == 0) continue;
    ASSERT_EQ(tree_size(p, size - 1), size) << to_string(p);
    ASSERT_EQ(tree_size(p, size / 2), size / 2 + 1) << to_string(p);
    some += size > 100;
  }
  EXPECT_GT(some, repeated(50));
  EXPECT_EQ(tree_size(Position(), 1000), 1001U);
  EXPECT_EQ(tree_size(parse_position("3B9C/AD06/EF71/.482 -"), 1000), 1U) << "its own board alone";
}

// Asks about what can follow by safe moves, with a table that earlier questions have filled.
void ask_below(const Position& p, Prover& prover, Solver& solver, int& asked) {
  const std::uint64_t nodes = std::max<std::uint64_t>(1, tree_size(p, 10'000));
  const Value value = solver.solve(p).value.value();
  ASSERT_EQ(prover.bounds(p, nodes), ValueBounds::exactly(value)) << to_string(p);
  ASSERT_EQ(prover.ceiling(p, nodes), value == Value::win ? Value::win : Value::draw) << to_string(p);
  if (++asked % 3 == 0) return;  // not all that follows from it
  for (const int m : BitsOf(p.legal_moves())) {
    const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
    const bool safe = next.has_hand() ? next.winning_squares(next.hand()) == 0 : safe_gives(next) != 0;
    if (next.is_terminal() || !safe) continue;
    ASSERT_LE(tree_size(next, nodes), nodes);
    ask_below(next, prover, solver, asked);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// The table keeps boards with seven empty squares and more.
TEST(TreeSize, BoundsTheNodesOfEveryQuestionBelow) {
  Rng rng(2);
  Solver solver({.table_bytes = 1 << 20});
  const auto prover = make_prover(300);
  int asked = 0, short_of_it = 0, large = 0;
  for (int i = 0; i < 600; ++i) {
    const Position p =
        random_quiet_position_at(15 + static_cast<int>(rng.below(12)), rng, i % 2 ? Rules::lines : Rules::squares);
    if (p.is_terminal() || tree_size(p, 600) > 600) continue;
    if (i % 4 == 0) prover->forget();
    ask_below(p, *prover, solver, asked);
    if (HasFatalFailure()) return;
    short_of_it += !prover->bounds(p, 1).exact();
    large += std::popcount(p.empty()) >= 8 && tree_size(p, 600) > 20;
  }
  EXPECT_GT(asked, 1000);
  EXPECT_GT(short_of_it, 20) << "the bound is never needed";
  EXPECT_GT(large, 5);
}

}  // namespace
}  // namespace quarto
