#include "solver/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>

#include "env/canonical.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "solver/solver.h"
#include "tests/support/reference.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

// The canonical forms of all positions one move on.
std::vector<Position> next_ply(const std::vector<Position>& ply) {
  std::map<CanonicalKey, Position> next;
  for (const Position& p : ply) {
    for (const int m : BitsOf(p.legal_moves())) {
      const Position q = canonical_form(p.after({p.phase(), static_cast<std::uint8_t>(m)})).position;
      next.emplace(canonical_key(q), q);
    }
  }
  std::vector<Position> positions;
  for (const auto& [key, position] : next) positions.push_back(position);
  return positions;
}

TEST(Facts, ValuesBackedUpFromALaterPlyAreTheTrueOnes) {
  Rng rng(1);
  for (int i = 0; i < 60; ++i) {
    std::vector<std::vector<Position>> plies{{random_position_at(22 + i % 2, rng)}};
    for (int n = 0; n < 3; ++n) plies.push_back(next_ply(plies.back()));
    std::vector<Value> values;
    for (const Position& p : plies.back()) values.push_back(reference::value(p));
    for (std::size_t n = 3; n-- > 0;) {
      values = back_up(plies[n], plies[n + 1], values);
      for (std::size_t j = 0; j < values.size(); ++j) {
        ASSERT_EQ(values[j], reference::value(plies[n][j])) << to_string(plies[n][j]);
      }
    }
  }
}

TEST(Facts, AMissingPositionIsAnError) {
  const std::vector<Position> start{Position()};
  EXPECT_THROW(back_up(start, {}, {}), std::out_of_range);
}

TEST(Facts, AWinAtOnceNeedsThePieceAndTheSquare) {
  EXPECT_TRUE(wins_at_once(parse_position("135./..../..../.... 7")));
  EXPECT_FALSE(wins_at_once(parse_position("135./..../..../.... 8")));
  EXPECT_FALSE(wins_at_once(parse_position("135./..../..../.... -")));
  EXPECT_FALSE(wins_at_once(parse_position("1357/..../..../.... -"))) << "it is over";
}

TEST(Facts, OutcomesAreCounted) {
  const std::vector<Value> values = {Value::win, Value::draw, Value::draw, Value::loss, Value::loss, Value::loss};
  EXPECT_EQ(count_outcomes(values), (Outcomes{.win = 1, .draw = 2, .loss = 3}));
}

// By plain recursion over every move: placements to the end for whoever wins, the loser delaying; nullopt for a draw.
std::optional<int> slow_distance(const Position& p);

// The same after a move that keeps this value, which is no draw, the move included.
int slow_distance(const Position& p, Move m) { return (p.has_hand() ? 1 : 0) + slow_distance(p.after(m)).value(); }

Value value_of(const Position& p, Move m) {
  return p.has_hand() ? reference::value(p.after(m)) : -reference::value(p.after(m));
}

std::optional<int> slow_distance(const Position& p) {
  if (p.is_terminal()) return p.is_won() ? std::optional(0) : std::nullopt;
  const Value value = reference::value(p);
  std::optional<int> best;
  for (const Move m : p.moves()) {
    if (value == Value::draw || value_of(p, m) != value) continue;
    const int placements = slow_distance(p, m);
    if (!best || (value == Value::win ? placements < *best : placements > *best)) best = placements;
  }
  return best;
}

TEST(Distance, IsWhatPlainRecursionFinds) {
  Rng rng(1);
  Solver solver({.table_bytes = std::size_t{4} << 20});
  int longest = 0, decided = 0;
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int i = 0; i < 600; ++i) {
      const Position p = random_position_at(20 + i % 10, rng, rules);
      const auto expected = slow_distance(p);
      ASSERT_EQ(solver.distance(p), expected) << to_string(p);
      decided += expected.has_value();
      longest = std::max(longest, expected.value_or(0));
    }
  }
  EXPECT_GT(decided, 300);
  EXPECT_GE(longest, 5) << "long wins should be among them";
}

TEST(Distance, OfEveryMoveIsWhatPlainRecursionFinds) {
  Rng rng(2);
  Solver solver({.table_bytes = std::size_t{4} << 20});
  std::array<int, 2> decided{};
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int i = 0; i < 300; ++i) {
      const Position p = random_position_at(20 + i % 10, rng, rules);
      const MoveSolution solution = solver.solve_moves(p);
      const MoveDistances found = solver.distances(p, solution);
      EXPECT_TRUE(found.complete);
      ASSERT_EQ(found.best, p.is_terminal() ? std::nullopt : slow_distance(p)) << to_string(p);
      for (const Move m : p.moves()) {
        const bool draw = value_of(p, m) == Value::draw;
        const auto expected = draw ? std::nullopt : std::optional(slow_distance(p, m));
        ASSERT_EQ(found.placements[m.index], expected) << to_string(p) << " " << to_string(m);
        decided[solution.values[m.index] == Value::win ? 1 : 0] += !draw;
      }
    }
  }
  EXPECT_GT(decided[0], 300);
  EXPECT_GT(decided[1], 300);
}

TEST(Distance, AWinAtOnceIsOnePlacementAway) {
  Solver solver({.table_bytes = 1 << 20});
  const Position placing = parse_position("135./284./6..A/.C.. 7");
  EXPECT_EQ(solver.distance(placing), 1);
  EXPECT_EQ(solver.distances(placing, solver.solve_moves(placing)).placements[3], 1);
  const Position giving = parse_position("135./284./6..A/.C.. -");
  EXPECT_EQ(solver.distances(giving, solver.solve_moves(giving)).placements[7], 1) << "the receiver's";
  EXPECT_EQ(solver.distance(parse_position("1357/..../..../.0.. -")), 0) << "it is over";
}

TEST(Distance, TheLimitsLeaveLongOnesUnknown) {
  Rng rng(3);
  const std::atomic<bool> stop = true;
  for (int cut = 0; cut < 10;) {
    const Position p = random_position_at(18, rng);
    Solver solver({.table_bytes = 1 << 20});
    const MoveSolution solution = solver.solve_moves(p);
    const MoveDistances cut_off = solver.distances(p, solution, {.stop = &stop});
    const MoveDistances all = solver.distances(p, solution);
    const auto longest = std::max_element(all.placements.begin(), all.placements.end());
    if (longest->value_or(0) < 3) continue;
    ++cut;
    EXPECT_FALSE(cut_off.complete) << to_string(p);
    EXPECT_FALSE(cut_off.placements[static_cast<std::size_t>(longest - all.placements.begin())]);
    for (const Move m : p.moves()) {
      if (cut_off.placements[m.index]) {
        EXPECT_EQ(cut_off.placements[m.index], all.placements[m.index]) << to_string(p);
      }
    }
  }
}

// With a small table next to nothing is kept, and nothing else changes.
TEST(Distance, WhatIsKeptIsForgottenWithTheTable) {
  const Position p = parse_position("..../2F../E9../.8.. 3");
  Solver solver({.table_bytes = std::size_t{4} << 20}), forgetful({.table_bytes = 1});
  const MoveSolution solution = solver.solve_moves(p);
  solver.clear();
  const MoveDistances first = solver.distances(p, solution), again = solver.distances(p, solution);
  EXPECT_TRUE(first.complete);
  EXPECT_GT(first.stats.nodes, 0U);
  EXPECT_LT(again.stats.nodes, first.stats.nodes);
  solver.clear();
  EXPECT_EQ(solver.distances(p, solution).stats.nodes, first.stats.nodes);
  EXPECT_EQ(forgetful.distances(p, solution).placements, first.placements);
  EXPECT_GT(forgetful.distances(p, solution).stats.nodes, again.stats.nodes);
}

TEST(SolveLimits, WhatIsLeftIsNeverNoLimit) {
  const auto now = std::chrono::steady_clock::now();
  const SolveLimits hour{.time = std::chrono::hours(1)};
  EXPECT_EQ(hour.left_since(now - std::chrono::hours(2)).time, std::chrono::milliseconds(1));
  EXPECT_LE(hour.left_since(now - std::chrono::minutes(30)).time, std::chrono::minutes(30));
  EXPECT_EQ(SolveLimits{}.left_since(now - std::chrono::hours(2)).time, std::chrono::milliseconds(0));
}

TEST(Distance, OfValuesThatAreUnknownIsIncomplete) {
  Solver solver({.table_bytes = 1 << 20});
  const MoveDistances found = solver.distances(parse_position("135./284./6..A/.C.. 7"), MoveSolution{});
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.best, std::nullopt);
}

#ifndef QUARTOZERO_SANITIZED  // slow there, for code that the other tests run as well
// Of the longest wins under these rules (docs/facts.md): the game's last piece completes them.
TEST(Distance, UnderSquaresTheLastPieceOfAWholeGameMayWin) {
  Solver solver({.table_bytes = std::size_t{64} << 20});
  EXPECT_EQ(solver.distance(parse_position("480./..../..../.... 3", Rules::squares)), 13);
}
#endif

}  // namespace
}  // namespace quarto
