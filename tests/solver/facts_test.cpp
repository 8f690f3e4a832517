#include "solver/facts.h"

#include <gtest/gtest.h>

#include <map>

#include "env/canonical.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "solver/distance.h"
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

// By plain recursion over every move: plies to the end for whoever wins, the loser delaying; nullopt for a draw.
std::optional<int> slow_plies(const Position& p) {
  if (p.is_terminal()) return p.is_won() ? std::optional(0) : std::nullopt;
  const Value value = reference::value(p);
  if (value == Value::draw) return std::nullopt;
  std::optional<int> best;
  for (const int m : BitsOf(p.legal_moves())) {
    const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
    const Value after = p.has_hand() ? reference::value(next) : -reference::value(next);
    if (after != value) continue;
    const int plies = 1 + *slow_plies(next);
    if (!best || (value == Value::win ? plies < *best : plies > *best)) best = plies;
  }
  return best;
}

TEST(WinDistance, IsWhatPlainRecursionFinds) {
  Rng rng(1);
  WinDistance distance(std::size_t{4} << 20);
  int longest = 0, decided = 0;
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int i = 0; i < 600; ++i) {
      const Position p = random_position_at(20 + i % 10, rng, rules);
      const auto expected = slow_plies(p);
      ASSERT_EQ(distance.plies(p), expected) << to_string(p);
      decided += expected.has_value();
      longest = std::max(longest, expected.value_or(0));
    }
  }
  EXPECT_GT(decided, 300);
  EXPECT_GE(longest, 9) << "long wins should be among them";
}

#ifndef QUARTOZERO_SANITIZED  // slow there, for code that the other tests run as well
// Of the longest wins under these rules (docs/facts.md): the game's last piece completes them.
TEST(WinDistance, UnderSquaresTheLastPieceOfAWholeGameMayWin) {
  WinDistance distance(std::size_t{64} << 20);
  EXPECT_EQ(distance.plies(parse_position("480./..../..../.... 3", Rules::squares)), 25);
}
#endif

TEST(WinDistance, OfAFinishedGameIsNone) {
  WinDistance distance(1 << 20);
  EXPECT_EQ(distance.plies(parse_position("1357/..../..../.0.. -")), 0);
  EXPECT_EQ(distance.plies(parse_position("135./284./6..A/.C.. 7")), 1);
}

}  // namespace
}  // namespace quarto
