// The solver with a limit on nodes: what it says is true, and it says the same when asked the same.
#include "solver/prover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <thread>
#include <vector>

#include "env/notation.h"
#include "env/random_play.h"
#include "solver/leaf_oracle.h"
#include "solver/solver.h"
#include "solver/tree_size.h"
#include "tests/support/reference.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

bool within(Value v, ValueBounds b) { return b.low <= v && v <= b.high; }

TEST(Prover, BoundsHoldWhatTrialOfEverythingShows) {
  const auto prover = make_prover(10);
  Rng rng(1);
  int open = 0, half = 0;
  for (int i = 0; i < 3000; ++i) {
    const Position p =
        random_position_at(20 + static_cast<int>(rng.below(12)), rng, i % 2 ? Rules::lines : Rules::squares);
    if (i % 10 == 0) prover->forget();
    const ValueBounds b = prover->bounds(p, 1 + rng.below(40));
    const Value exact = reference::value(p);
    ASSERT_TRUE(within(exact, b)) << to_string(p);
    ASSERT_LE(exact, prover->ceiling(p, 1 + rng.below(40))) << to_string(p);
    open += b.trivial();
    half += !b.trivial() && !b.exact();
  }
  EXPECT_GT(open, 20);
  EXPECT_GT(half, 20);
}

// With the boards that the table keeps, beside the solver.
TEST(Prover, BoundsHoldWhatTheSolverFindsOnLargerBoards) {
  Solver solver({.table_bytes = std::size_t{16} << 20});
  Rng rng(2);
  int exact = 0, half = 0;
  for (int i = 0; i < 1000; ++i) {
    const int nodes = 1 << rng.below(12);
    const auto prover = make_prover(nodes);
    const Position p =
        random_position_at(12 + static_cast<int>(rng.below(8)), rng, i % 4 ? Rules::lines : Rules::squares);
    const Value value = *solver.solve(p).value;
    ValueBounds before;
    for (int times = 0; times < 3; ++times) {  // what the table keeps carries the next question further
      const ValueBounds b = prover->bounds(p, static_cast<std::uint64_t>(nodes));
      ASSERT_TRUE(within(value, b)) << to_string(p);
      ASSERT_TRUE(b.low >= before.low && b.high <= before.high) << to_string(p);
      before = b;
    }
    exact += before.exact();
    half += !before.trivial() && !before.exact();
  }
  EXPECT_GT(exact, 200);
  EXPECT_GT(half, 20);
}

TEST(Prover, WhatIsKnownIsKeptAndNotAsked) {
  const auto prover = make_prover(300);
  Rng rng(5);
  std::array<int, 3> seen{};
  for (int i = 0; i < 300; ++i) {
    const Position p = random_position_at(20 + static_cast<int>(rng.below(12)), rng);
    for (const Value v : {Value::loss, Value::draw, Value::win})
      ASSERT_EQ(prover->bounds(p, 1000, ValueBounds::exactly(v)), ValueBounds::exactly(v)) << "whatever is true";
    const Value exact = reference::value(p);
    ++seen[static_cast<std::size_t>(static_cast<int>(exact) + 1)];
    if (exact != Value::loss) {
      ASSERT_EQ(prover->bounds(p, 1'000'000, {Value::draw, Value::win}), ValueBounds::exactly(exact)) << to_string(p);
    }
    if (exact != Value::win) {
      ASSERT_EQ(prover->bounds(p, 1'000'000, {Value::loss, Value::draw}), ValueBounds::exactly(exact)) << to_string(p);
    }
  }
  for (const int n : seen) EXPECT_GT(n, 10);
}

// More than it remembers one by one.
TEST(Prover, ForgettingAfterALongSearchLeavesNoTrace) {
  const Position p = parse_position("0..5/..../.3../...A 9");
  const auto used = make_prover(50'000), fresh = make_prover(50'000);
  const ValueBounds first = used->bounds(p, 50'000);
  used->forget();
  EXPECT_EQ(used->bounds(p, 50'000), first);
  used->forget();
  for (const std::uint64_t nodes : {10, 1000, 1000}) EXPECT_EQ(used->bounds(p, nodes), fresh->bounds(p, nodes));
}

TEST(Prover, ForgettingLeavesNoTrace) {
  Rng rng(4);
  const auto used = make_prover(100);
  int told = 0;
  for (int i = 0; i < 200; ++i) {
    const Position p = random_position_at(14 + static_cast<int>(rng.below(4)), rng);
    used->forget();
    const auto fresh = make_prover(100);
    for (const std::uint64_t nodes : {10, 100, 100, 1000}) {
      const ValueBounds b = used->bounds(p, nodes);
      ASSERT_EQ(b, fresh->bounds(p, nodes)) << to_string(p);
      told += !b.trivial();
    }
  }
  EXPECT_GT(told, 50);
}

// The solver behind the oracle's contract: right, and from many threads at once.

TEST(LeafOracle, KnowsWhatTrialOfEverythingShowsInManyThreadsAtOnce) {
  LeafOracle oracle(std::size_t{1} << 20);
  Rng rng(2);
  std::vector<Position> positions;
  std::vector<Value> exact;
  for (int i = 0; i < 300; ++i) {
    const Rules rules = i % 2 ? Rules::lines : Rules::squares;
    positions.push_back(random_position_at(21 + static_cast<int>(rng.below(11)), rng, rules));
    exact.push_back(reference::value(positions.back()));
  }
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int& mistakes : wrong) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < positions.size(); ++i) mistakes += oracle.value(positions[i]) != exact[i];
    });
  }
  for (std::thread& t : threads) t.join();
  for (const int mistakes : wrong) EXPECT_EQ(mistakes, 0);
}

// A game tree's size, beside plain recursion, and as a bound of what a prover's questions take.

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
