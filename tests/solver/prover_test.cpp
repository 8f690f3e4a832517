// The solver with a limit on nodes: what it says is true, and it says the same when asked the same.
#include "solver/prover.h"

#include <gtest/gtest.h>

#include <array>

#include "env/notation.h"
#include "env/random_play.h"
#include "solver/solver.h"
#include "tests/support/reference.h"

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
    if (p.is_terminal()) continue;
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
    if (p.is_terminal()) continue;
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
    if (p.is_terminal()) continue;
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
    if (p.is_terminal()) continue;
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

}  // namespace
}  // namespace quarto
