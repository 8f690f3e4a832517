#include "env/one_ply.h"

#include <gtest/gtest.h>

#include "env/notation.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

TEST(OnePly, WinsWheneverItCan) {
  Rng rng(1);
  int won = 0;
  for (int i = 0; i < 3000; ++i) {
    const Position p = random_position_at(2 * static_cast<int>(rng.below(14)) + 1, rng);
    const Mask winning = p.winning_squares(p.hand());
    if (winning == 0) continue;
    EXPECT_EQ(one_ply_moves(p), winning) << to_string(p);
    ++won;
  }
  EXPECT_GT(won, 50);
}

TEST(OnePly, NeverGivesALoserWhenASafeOneIsLeft) {
  Rng rng(2);
  int forced = 0;
  for (int i = 0; i < 3000; ++i) {
    const Position p = random_position_at(2 * static_cast<int>(rng.below(15)), rng);
    const Mask kept = one_ply_moves(p), losing = p.losing_gives();
    if (losing == p.available()) {
      EXPECT_EQ(kept, p.available());
      ++forced;
    } else {
      EXPECT_EQ(kept & losing, 0) << to_string(p);
      EXPECT_NE(kept, 0);
    }
  }
  EXPECT_GT(forced, 10);
}

TEST(OnePly, LeavesItselfSomethingSafeToGive) {
  Rng rng(3);
  int set_aside = 0;
  for (int i = 0; i < 3000; ++i) {
    const Position p = random_position_at(2 * static_cast<int>(rng.below(14)) + 1, rng);
    if (p.winning_squares(p.hand()) != 0) continue;
    const Mask kept = one_ply_moves(p);
    if (kept == p.legal_moves()) continue;
    for (const int s : BitsOf(p.legal_moves())) {
      const Position next = p.after(Move::place(square(s)));
      EXPECT_EQ(((kept >> s) & 1) == 1, next.losing_gives() != next.available()) << to_string(p);
    }
    ++set_aside;
  }
  EXPECT_GT(set_aside, 50);
}

TEST(OnePly, TheLastPieceMayGoWhereItDoesNotWin) {
  // One square is left, and the piece in hand completes nothing there.
  Rng rng(4);
  int seen = 0;
  while (seen < 20) {
    Position p = random_position_at(27, rng);
    while (p.ply() < 31 && !p.is_terminal()) p.play(random_move(p, rng));
    if (p.is_terminal()) continue;
    ++seen;
    EXPECT_EQ(one_ply_moves(p), p.legal_moves());
  }
}

TEST(OnePly, NothingIsLeftWhenTheGameIsOver) {
  Rng rng(7);
  for (int game = 0; game < 100; ++game) {
    Position p;
    while (!p.is_terminal()) p.play(random_move(p, rng));
    EXPECT_EQ(one_ply_moves(p), 0) << to_string(p);
    EXPECT_EQ(safe_moves(p), 0) << to_string(p);
  }
}

// What the masks say beside what playing the moves shows.
bool has_safe_give(const Position& p) { return p.losing_gives() != p.available(); }

class TwoPly : public testing::TestWithParam<Rules> {};
INSTANTIATE_TEST_SUITE_P(, TwoPly, testing::Values(Rules::lines, Rules::squares),
                         [](const auto& p) { return p.param == Rules::lines ? "lines" : "squares"; });

TEST_P(TwoPly, APlaceStrandsIfItNeitherEndsTheGameNorLeavesASafeGive) {
  Rng rng(5);
  int stranding = 0;
  for (int i = 0; i < 20000; ++i) {
    const Position p = random_position_at(2 * static_cast<int>(rng.below(15)) + 1, rng, GetParam());
    Mask expected = 0;
    for (const int s : BitsOf(p.legal_moves())) {
      const Position next = p.after(Move::place(square(s)));
      if (!next.is_terminal() && !has_safe_give(next)) expected |= bit(square(s));
    }
    ASSERT_EQ(stranding_places(p), expected) << to_string(p);
    stranding += expected != 0;
  }
  EXPECT_GT(stranding, 1000);
}

TEST_P(TwoPly, AGiveStranglesIfNoAnswerWinsAndAllOfThemStrand) {
  Rng rng(6);
  int strangling = 0;
  for (int i = 0; i < 20000; ++i) {
    const Position p = random_position_at(2 * static_cast<int>(rng.below(16)), rng, GetParam());
    Mask expected = 0;
    for (const int g : BitsOf(p.legal_moves())) {
      const Position given = p.after(Move::give(piece(g)));
      bool all = true;
      for (const int s : BitsOf(given.legal_moves())) {
        const Position placed = given.after(Move::place(square(s)));
        all = all && !placed.is_terminal() && !has_safe_give(placed);
      }
      if (all) expected |= bit(piece(g));
    }
    ASSERT_EQ(strangling_gives(p), expected) << to_string(p);
    strangling += expected != 0;
  }
  EXPECT_GT(strangling, 150);
}

}  // namespace
}  // namespace quarto
