#include "env/random_play.h"

#include <gtest/gtest.h>

#include <array>

#include "env/notation.h"
#include "env/one_ply.h"
#include "tests/support/random_positions.h"

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

// What the masks say beside what playing the moves shows.
bool has_safe_give(const Position& p) { return p.losing_gives() != p.available(); }

// Wins if it can; else it leaves itself something safe to give, or gives what is safe, if there is any.
Mask one_ply_by_playing(const Position& p) {
  Mask winning = 0, kept = 0;
  for (const Move m : p.moves()) {
    const Position next = p.after(m);
    const auto move = static_cast<Mask>(1U << m.index);
    if (next.is_won()) winning |= move;
    if (p.has_hand() ? next.is_terminal() || has_safe_give(next) : next.winning_squares(next.hand()) == 0) kept |= move;
  }
  return winning ? winning : kept ? kept : p.legal_moves();
}

TEST(OnePly, IsWhatPlayingTheMovesShows) {
  Rng rng(1);
  int won = 0, forced = 0, set_aside = 0, last = 0;
  for (int i = 0; i < 12000; ++i) {
    const Position p = random_position_at(static_cast<int>(rng.below(32)), rng, i % 2 ? Rules::lines : Rules::squares);
    const Mask kept = one_ply_moves(p);
    ASSERT_EQ(kept, one_ply_by_playing(p)) << to_string(p);
    won += p.has_hand() && (kept & p.winning_squares(p.hand())) != 0;
    forced += !p.has_hand() && !has_safe_give(p);
    set_aside += kept != p.legal_moves();
    last += p.ply() == 31;
  }
  for (const int seen : {won, forced, set_aside, last}) EXPECT_GT(seen, 50);
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
