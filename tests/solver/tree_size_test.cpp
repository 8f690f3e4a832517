// A game tree's size, beside plain recursion, and as a bound of what a prover's questions take.
#include "solver/tree_size.h"

#include <gtest/gtest.h>

#include "env/notation.h"
#include "env/random_play.h"
#include "solver/prover.h"
#include "tests/solver/reference.h"

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
  for (int i = 0; i < 2000; ++i) {
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
  EXPECT_GT(some, 50);
  EXPECT_EQ(tree_size(Position(), 1000), 1001U);
  EXPECT_EQ(tree_size(parse_position("3B9C/AD06/EF71/.482 -"), 1000), 1U) << "its own board alone";
}

// Asks about what can follow by safe moves, with a table that earlier questions have filled.
void ask_below(const Position& p, std::uint64_t nodes, Prover& prover, int& asked) {
  ASSERT_EQ(prover.bounds(p, nodes), ValueBounds::exactly(reference::value(p))) << to_string(p);
  ASSERT_EQ(prover.ceiling(p, nodes), reference::value(p) == Value::win ? Value::win : Value::draw) << to_string(p);
  if (++asked % 3 == 0) return;  // not all that follows from it
  for (const int m : BitsOf(p.legal_moves())) {
    const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
    const bool safe = next.has_hand() ? next.winning_squares(next.hand()) == 0 : safe_gives(next) != 0;
    if (next.is_terminal() || !safe || std::popcount(next.empty()) < 2) continue;
    ASSERT_LE(tree_size(next, nodes), nodes);
    ask_below(next, nodes, prover, asked);
  }
}

TEST(TreeSize, BoundsTheNodesOfEveryQuestionBelow) {
  Rng rng(2);
  const auto prover = make_prover(300);
  int asked = 0, short_of_it = 0;
  for (int i = 0; i < 300; ++i) {
    const Position p =
        random_quiet_position_at(20 + static_cast<int>(rng.below(7)), rng, i % 2 ? Rules::lines : Rules::squares);
    if (p.is_terminal()) continue;
    const std::uint64_t size = tree_size(p, 400);
    if (size == 0 || size > 400) continue;
    if (i % 4 == 0) prover->forget();
    ask_below(p, size, *prover, asked);
    if (HasFatalFailure()) return;
    short_of_it += !prover->bounds(p, 1).exact();
  }
  EXPECT_GT(asked, 1000);
  EXPECT_GT(short_of_it, 20) << "the bound is never needed";
}

}  // namespace
}  // namespace quarto
