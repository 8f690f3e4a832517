#include "solver/facts.h"

#include <gtest/gtest.h>

#include <map>

#include "env/canonical.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "tests/support/reference.h"

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

}  // namespace
}  // namespace quarto
