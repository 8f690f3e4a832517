// The endgame search with a limit on nodes: what it says is true, and it says the same when asked the same.
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
  Rng rng(1);
  int open = 0, half = 0, exact = 0;
  for (int i = 0; i < 3000; ++i) {
    const Position p =
        random_position_at(20 + static_cast<int>(rng.below(12)), rng, i % 2 ? Rules::lines : Rules::squares);
    const ValueBounds b = solver_prover().bounds(p, 1 + rng.below(40));
    ASSERT_TRUE(within(reference::value(p), b)) << to_string(p);
    open += b.trivial();
    half += !b.trivial() && !b.exact();
    exact += b.exact();
  }
  EXPECT_GT(open, 20);
  EXPECT_GT(half, 10);
  EXPECT_GT(exact, 1000);
}

// Up to fourteen empty squares, which is more than the search has levels of its own for.
TEST(Prover, BoundsHoldWhatTheSolverFindsOnLargerBoards) {
  Solver solver({.table_bytes = std::size_t{64} << 20});
  Rng rng(2);
  int exact = 0, half = 0, many = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t nodes = 1U << rng.below(16);
    const Position p =
        random_position_at(8 + static_cast<int>(rng.below(12)), rng, i % 4 ? Rules::lines : Rules::squares);
    const ValueBounds b = solver_prover().bounds(p, nodes);
    if (b.trivial()) continue;
    ASSERT_TRUE(within(solver.solve(p).value.value(), b)) << to_string(p);
    exact += b.exact();
    half += !b.exact();
    many += std::popcount(p.empty()) > 10;
  }
  EXPECT_GT(exact, 200);
  EXPECT_GT(half, 20);
  EXPECT_GT(many, 5);
}

TEST(Prover, MoreNodesShowNoLessAndNoMoreAreTakenThanGiven) {
  Rng rng(4);
  int told = 0;
  for (int i = 0; i < 300; ++i) {
    const Position p = random_position_at(13 + static_cast<int>(rng.below(8)), rng);
    ValueBounds before;
    for (const std::uint64_t nodes : {1, 10, 100, 1000, 10'000}) {
      const Proof proof = prove(p, nodes);
      ASSERT_LE(proof.nodes, 2 * nodes) << to_string(p);
      ASSERT_TRUE(proof.bounds.low >= before.low && proof.bounds.high <= before.high) << to_string(p);
      before = proof.bounds;
    }
    told += !before.trivial();
  }
  EXPECT_GT(told, 100);
}

TEST(Prover, WhatIsKnownIsKeptAndNotAsked) {
  Rng rng(5);
  std::array<int, 3> seen{};
  for (int i = 0; i < 300; ++i) {
    const Position p = random_position_at(20 + static_cast<int>(rng.below(12)), rng);
    for (const Value v : {Value::loss, Value::draw, Value::win}) {
      const Proof proof = prove(p, 1000, ValueBounds::exactly(v));
      ASSERT_EQ(proof.bounds, ValueBounds::exactly(v)) << "whatever is true";
      ASSERT_EQ(proof.nodes, 0U);
    }
    const Value exact = reference::value(p);
    ++seen[static_cast<std::size_t>(static_cast<int>(exact) + 1)];
    if (exact != Value::loss) {
      ASSERT_EQ(prove(p, 1'000'000, {Value::draw, Value::win}).bounds, ValueBounds::exactly(exact)) << to_string(p);
    }
    if (exact != Value::win) {
      ASSERT_EQ(prove(p, 1'000'000, {Value::loss, Value::draw}).bounds, ValueBounds::exactly(exact)) << to_string(p);
    }
  }
  for (const int n : seen) EXPECT_GT(n, 10);
}

// If a draw is too much to show, a win is not asked for.
TEST(Prover, AQuestionThatIsNotAnsweredIsTheLast) {
  Rng rng(6);
  int undecided = 0;
  for (int i = 0; i < 200; ++i) {
    const Position p = random_position_at(14, rng);
    const Proof proof = prove(p, 30);
    if (!proof.bounds.trivial()) continue;
    ++undecided;
    ASSERT_LE(proof.nodes, 30U) << to_string(p);
  }
  EXPECT_GT(undecided, 50);
}

// One prover, asked by many threads.
TEST(Prover, AnswersAreThoseOfTheQuestionAlone) {
  Rng rng(7);
  std::vector<Position> positions;
  std::vector<ValueBounds> alone;
  for (int i = 0; i < 400; ++i) {
    positions.push_back(random_position_at(12 + static_cast<int>(rng.below(12)), rng));
    alone.push_back(solver_prover().bounds(positions.back(), 200));
  }
  std::vector<int> different(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < different.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::size_t at = (i * 7 + 100 * t) % positions.size();
        different[t] += !(solver_prover().bounds(positions[at], 200) == alone[at]);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  for (const int n : different) EXPECT_EQ(n, 0);
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

// A game tree's size, beside plain recursion, and as a bound of what a question takes.

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

// Asks about what can follow by safe moves.
void ask_below(const Position& p, Solver& solver, int& asked) {
  const std::uint64_t nodes = std::max<std::uint64_t>(1, tree_size(p, 10'000));
  const Value value = solver.solve(p).value.value();
  ASSERT_EQ(prove(p, nodes).bounds, ValueBounds::exactly(value)) << to_string(p);
  if (++asked % 3 == 0) return;  // not all that follows from it
  for (const int m : BitsOf(p.legal_moves())) {
    const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
    const bool safe = next.has_hand() ? next.winning_squares(next.hand()) == 0 : safe_gives(next) != 0;
    if (next.is_terminal() || !safe) continue;
    ASSERT_LE(tree_size(next, nodes), nodes);
    ask_below(next, solver, asked);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(TreeSize, BoundsTheNodesOfEveryQuestionBelow) {
  Rng rng(2);
  Solver solver({.table_bytes = 1 << 20});
  int asked = 0, short_of_it = 0, large = 0;
  for (int i = 0; i < 600; ++i) {
    const Position p =
        random_quiet_position_at(15 + static_cast<int>(rng.below(12)), rng, i % 2 ? Rules::lines : Rules::squares);
    if (p.is_terminal() || tree_size(p, 600) > 600) continue;
    ask_below(p, solver, asked);
    if (HasFatalFailure()) return;
    short_of_it += !solver_prover().bounds(p, 1).exact();
    large += std::popcount(p.empty()) >= 8 && tree_size(p, 600) > 20;
  }
  EXPECT_GT(asked, 1000);
  EXPECT_GT(short_of_it, 20) << "the bound is never needed";
  EXPECT_GT(large, 5);
}

}  // namespace
}  // namespace quarto
