#include "env/random_play.h"

#include <gtest/gtest.h>

#include <array>

#include "env/notation.h"

namespace quarto {
namespace {

TEST(RandomBit, TakesEachBitAboutAsOften) {
  Rng rng(1);
  const Mask mask = 0b1000'0100'0000'0011;
  std::array<int, 16> seen{};
  for (int i = 0; i < 4000; ++i) ++seen[static_cast<std::size_t>(random_bit(mask, rng))];
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if ((mask >> i) & 1U) {
      EXPECT_GT(seen[i], 800);
      EXPECT_LT(seen[i], 1200);
    } else {
      EXPECT_EQ(seen[i], 0);
    }
  }
}

TEST(QuietMoves, NeitherWinNorLetTheOpponentWinAtOnce) {
  Rng rng(2);
  int loud = 0;
  for (int i = 0; i < 2000; ++i) {
    const Position p = random_position_at(static_cast<int>(rng.below(30)), rng);
    const Mask quiet = quiet_moves(p);
    for (const int m : BitsOf(p.legal_moves())) {
      const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
      const bool ends = p.has_hand() ? next.is_won() : next.winning_squares(next.hand()) != 0;
      EXPECT_EQ(((quiet >> m) & 1) == 0, ends) << to_string(p) << " move " << m;
      loud += ends;
    }
  }
  EXPECT_GT(loud, 1000);
}

TEST(RandomPositions, HaveTheirPlyAndAreNotOver) {
  Rng rng(3);
  int winning = 0;
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int plies = 0; plies < 28; ++plies) {
      const Position p = random_position_at(plies, rng, rules);
      EXPECT_EQ(p.ply(), plies);
      EXPECT_EQ(p.rules(), rules);
      EXPECT_FALSE(p.is_terminal());
      const Position q = random_quiet_position_at(plies, rng, rules);
      EXPECT_EQ(q.ply(), plies);
      EXPECT_FALSE(q.is_terminal());
      EXPECT_TRUE(!q.has_hand() || q.winning_squares(q.hand()) == 0) << to_string(q);
      for (int i = 0; i < 10; ++i) {
        const Position careless = random_careless_position_at(plies, rng, rules);
        EXPECT_EQ(careless.ply(), plies);
        EXPECT_FALSE(careless.is_terminal());
        winning += careless.has_hand() && careless.winning_squares(careless.hand()) != 0;
      }
    }
  }
  EXPECT_GT(winning, 20) << "careless play lets a piece be won with";
}

TEST(RandomPositions, OfASeedAreTheSameAndNotOver) {
  const std::vector<Position> positions = unfinished_positions(200, Rules::squares, 7);
  ASSERT_EQ(positions.size(), 200U);
  EXPECT_EQ(unfinished_positions(200, Rules::squares, 7), positions);
  EXPECT_NE(unfinished_positions(200, Rules::squares, 8), positions);
  for (const Position& p : positions) {
    EXPECT_FALSE(p.is_terminal());
    EXPECT_EQ(p.rules(), Rules::squares);
  }
}

}  // namespace
}  // namespace quarto
