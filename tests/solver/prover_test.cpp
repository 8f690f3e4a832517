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
#include "solver/proof_bound.h"
#include "solver/solver.h"
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

// Where proofs suffice, beside plain recursion, and by asking.

Mask safe_gives(const Position& p) { return static_cast<Mask>(p.legal_moves() & ~p.losing_gives()); }

std::uint64_t placers_nodes(const Position& p, bool draw);

// The most nodes of a giver's question whether it gets a draw, or wins. The placer then wants the other.
std::uint64_t givers_nodes(const Position& p, bool draw) {
  const int empty = std::popcount(p.empty());
  if (empty <= 2 || (empty == 3 && !draw)) return 1;  // the number of empty squares answers it
  if (empty == 3) return 1 + 3 * static_cast<std::uint64_t>(std::popcount(safe_gives(p)));
  std::uint64_t count = 1;
  for (const int m : BitsOf(safe_gives(p))) count += placers_nodes(p.after(Move::give(piece(m))), !draw);
  return count;
}
std::uint64_t placers_nodes(const Position& p, bool draw) {
  std::uint64_t count = 0;
  for (const int s : BitsOf(p.legal_moves())) {
    const Position next = p.after(Move::place(square(s)));
    if (!next.is_terminal() && safe_gives(next)) count += givers_nodes(next, draw);
  }
  return count;
}
// The least number that suffices.
std::uint64_t nodes_that_suffice(const Position& p) {
  std::uint64_t most = 0;
  if (p.winning_squares(p.hand())) return 0;
  for (const int s : BitsOf(p.legal_moves())) {
    const Position next = p.after(Move::place(square(s)));
    if (next.is_terminal() || !safe_gives(next)) continue;
    most = std::max(most, givers_nodes(next, true));
    for (const int m : BitsOf(safe_gives(next)))
      most = std::max(most, placers_nodes(next.after(Move::give(piece(m))), true));
  }
  return most;
}

TEST(ProofBound, IsThatOfPlainRecursion) {
  Rng rng(1);
  int some = 0;
  for (int i = 0; i < repeated(3000); ++i) {
    const Position p =
        random_position_at(19 + 2 * static_cast<int>(rng.below(6)), rng, i % 2 ? Rules::lines : Rules::squares);
    if (p.is_terminal()) continue;
    const std::uint64_t least = nodes_that_suffice(p);
    ASSERT_TRUE(proofs_suffice(p, std::max<std::uint64_t>(least, 10))) << to_string(p);
    ASSERT_TRUE(proofs_suffice(p, least * 2 + 10)) << to_string(p);
    if (least <= 10) continue;
    ASSERT_FALSE(proofs_suffice(p, least - 1)) << to_string(p);
    ASSERT_FALSE(proofs_suffice(p, least / 2)) << to_string(p);
    some += least > 100;
  }
  EXPECT_GT(some, repeated(100));
  EXPECT_FALSE(proofs_suffice(Position().after(Move::give(Piece{})), 1'000'000));
}

struct Asked {
  std::uint64_t nodes = 0;
  int questions = 0;
};

// Asks about what can follow by safe moves.
void ask_below(const Position& p, Solver& solver, Asked& asked) {
  if (++asked.questions % 3 == 0) return;  // not about all of it
  for (const int m : BitsOf(p.legal_moves())) {
    const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
    const bool safe = next.has_hand() ? next.winning_squares(next.hand()) == 0 : safe_gives(next) != 0;
    if (next.is_terminal() || !safe) continue;
    const Value value = solver.solve(next).value.value();
    const ValueBounds bounds = prove(next, asked.nodes).bounds;
    if (next.has_hand() || value == Value::loss) {
      ASSERT_EQ(bounds, ValueBounds::exactly(value)) << to_string(next);
    } else {
      ASSERT_GE(bounds.low, Value::draw) << to_string(next);
    }
    ask_below(next, solver, asked);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ProofBound, WithSoManyNodesEveryQuestionBelowHasAnAnswer) {
  Rng rng(2);
  Solver solver({.table_bytes = 1 << 20});
  int asked = 0, fewer = 0, large = 0;
  for (int i = 0; i < 600; ++i) {
    const Position p =
        random_quiet_position_at(15 + 2 * static_cast<int>(rng.below(6)), rng, i % 2 ? Rules::lines : Rules::squares);
    if (p.is_terminal() || p.winning_squares(p.hand()) || !proofs_suffice(p, 1000)) continue;
    const std::uint64_t nodes = std::max<std::uint64_t>(10, nodes_that_suffice(p));
    Asked below{nodes};
    ask_below(p, solver, below);
    if (HasFatalFailure()) return;
    asked += below.questions;
    for (const int s : BitsOf(p.legal_moves())) {
      const Position next = p.after(Move::place(square(s)));
      fewer += nodes >= 40 && !next.is_terminal() && solver_prover().bounds(next, nodes / 20).trivial();
    }
    large += std::popcount(p.empty()) >= 8;
  }
  EXPECT_GT(asked, 1000);
  EXPECT_GT(fewer, 20) << "the bound is never needed";
  EXPECT_GT(large, 5);
}

}  // namespace
}  // namespace quarto
