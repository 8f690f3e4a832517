#include "env/position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <unordered_set>
#include <vector>

#include "base/random.h"
#include "env/notation.h"
#include "env/quartos.h"
#include "env/random_play.h"
#include "tests/support/random_positions.h"
#include "tests/support/slow_has_quarto.h"

namespace quarto {
namespace {

using testing::ElementsAre;

bool slow_has_quarto(const Position& p) {
  std::vector<Mask> sets(kLineMasks.begin(), kLineMasks.end());
  for (int s = 0; p.rules() == Rules::squares && s < kSquares - kSide; ++s) {
    if (s % kSide != kSide - 1) sets.push_back(static_cast<Mask>(0x33 << s));
  }
  return slow_has_quarto(p, sets);
}

class BothRules : public testing::TestWithParam<Rules> {};
INSTANTIATE_TEST_SUITE_P(, BothRules, testing::Values(Rules::lines, Rules::squares),
                         [](const auto& p) { return to_string(p.param); });

TEST(Position, StartsWithSixteenPiecesToGive) {
  const Position p;
  EXPECT_EQ(p.phase(), Phase::give);
  EXPECT_EQ(p.legal_moves(), 0xFFFF);
  EXPECT_EQ(p.ply(), 0);
  EXPECT_EQ(p.player_to_act(), 0);
}

TEST(Position, TheSamePlayerPlacesAndThenGives) {
  Position p;
  p.give(piece(3));
  EXPECT_EQ(p.player_to_act(), 1) << "after a give the other player places";
  p.place(square(5));
  EXPECT_EQ(p.player_to_act(), 1) << "after a place the same player gives";
  p.give(piece(0));
  EXPECT_EQ(p.player_to_act(), 0);
}

TEST(Position, FourInARowSharingAnAttributeWinsForThePlacer) {
  const Position p = parse_position("135./..../..../.... 7");
  EXPECT_EQ(p.winning_squares(p.hand()), bit(square(3)));
  Position q = p;
  q.place(square(3));
  EXPECT_TRUE(q.is_won());
  EXPECT_EQ(q.terminal_value(), Value::win);
  EXPECT_EQ(q.player_to_act(), p.player_to_act());
  EXPECT_EQ(q.legal_moves(), 0);
}

TEST_P(BothRules, QuartoAgreesWithTheSlowCheckAlongRandomGames) {
  Rng rng(1);
  int won = 0;
  for (int game = 0; game < 3000; ++game) {
    Position p(GetParam());
    while (!p.is_terminal()) {
      p.play(random_move(p, rng));
      ASSERT_EQ(p.is_won(), slow_has_quarto(p)) << to_string(p);
    }
    won += p.is_won();
  }
  EXPECT_GT(won, 1000);
}

TEST_P(BothRules, WinningSquaresAndLosingGivesAreWhatPlacingShows) {
  Rng rng(2);
  for (int i = 0; i < 3000; ++i) {
    const Position p = random_position(rng, GetParam());
    Mask losing = 0;
    for (const int given : BitsOf(p.has_hand() ? bit(p.hand()) : p.available())) {
      Position q = p;
      if (!p.has_hand()) q.give(piece(given));
      Mask winning = 0;
      for (const int s : BitsOf(q.empty())) {
        if (slow_has_quarto(q.after(Move::place(square(s))))) winning |= bit(square(s));
      }
      ASSERT_EQ(q.winning_squares(q.hand()), winning) << to_string(q);
      if (winning) losing |= bit(piece(given));
    }
    if (p.has_hand()) continue;
    ASSERT_EQ(p.losing_gives(), losing) << to_string(p);
  }
}

TEST_P(BothRules, UndoRestoresEverything) {
  Rng rng(3);
  for (int game = 0; game < 500; ++game) {
    Position p(GetParam());
    std::vector<Position> before;
    std::vector<Move> moves;
    while (!p.is_terminal()) {
      before.push_back(p);
      moves.push_back(random_move(p, rng));
      p.play(moves.back());
    }
    while (!moves.empty()) {
      p.undo(moves.back());
      moves.pop_back();
      ASSERT_EQ(p, before.back());
      before.pop_back();
    }
  }
}

TEST_P(BothRules, TheIncrementalKeyIsTheKeyOfTheRebuiltPosition) {
  Rng rng(4);
  std::unordered_set<std::uint64_t> keys;
  std::set<std::string> texts;
  for (int i = 0; i < 5000; ++i) {
    const Position p = random_position(rng, GetParam());
    const Position rebuilt =
        Position::from_parts(p.rules(), p.attributes(), p.occupied(), p.has_hand(), p.has_hand() ? p.hand() : piece(0));
    ASSERT_EQ(p.key(), rebuilt.key());
    ASSERT_EQ(p, rebuilt);
    keys.insert(p.key());
    texts.insert(to_string(p));
  }
  EXPECT_EQ(keys.size(), texts.size()) << "distinct positions have distinct keys";
}

TEST(Position, TheKeyTellsTheRulesApart) { EXPECT_NE(Position(Rules::lines).key(), Position(Rules::squares).key()); }

TEST(Position, SixteenPiecesWithoutALineIsADraw) {
  Rng rng(5);
  for (int tries = 0; tries < 20000; ++tries) {
    Position p;
    while (!p.is_terminal()) p.play(random_move(p, rng));
    if (p.is_won()) continue;
    EXPECT_EQ(p.pieces_on_board(), 16);
    EXPECT_EQ(p.terminal_value(), Value::draw);
    return;
  }
  FAIL() << "random play never drew";
}

TEST_P(BothRules, MovesAreTheLegalMovesInOrder) {
  Rng rng(9);
  for (int i = 0; i < 200; ++i) {
    const Position p = random_position(rng, GetParam());
    std::vector<Move> expected;
    const Phase other = p.has_hand() ? Phase::give : Phase::place;
    for (int m = 0; m < kMoves; ++m) {
      const Move move{p.phase(), static_cast<std::uint8_t>(m)};
      ASSERT_FALSE(p.is_legal({other, move.index})) << to_string(p);
      if (p.is_legal(move)) expected.push_back(move);
    }
    std::vector<Move> listed;
    for (const Move m : p.moves()) listed.push_back(m);
    ASSERT_EQ(listed, expected);
    ASSERT_EQ(p.moves().size(), static_cast<int>(expected.size()));
    ASSERT_EQ(p.moves().empty(), expected.empty());
  }
}

// Enumerations play on past a win.
TEST_P(BothRules, AWonBoardStaysWonWhenALaterPlaceIsTakenBack) {
  const Position won = parse_position("1357/..../..../.... -", GetParam());
  for (const int s : BitsOf(won.empty())) {
    for (const int given : BitsOf(won.available())) {
      Position p = won;
      p.give(piece(given));
      p.place(square(s));
      EXPECT_TRUE(p.is_won());
      p.undo_place(square(s));
      EXPECT_TRUE(p.is_won());
      p.undo_give();
      EXPECT_EQ(p, won);
    }
  }
}

TEST(Quartos, AreNamedByWhatTheirPiecesShare) {
  const auto found = quartos(parse_position("0123/..../..../.... -"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].squares, 0x000F);
  EXPECT_THAT(found[0].shared, ElementsAre("square", "hollow"));
  // a1 to d1 share light and hollow, a1 to d4 hollow.
  const auto two = quartos(parse_position("0246/.1../..3./...5 -"));
  ASSERT_EQ(two.size(), 2U);
  EXPECT_THAT(two[0].shared, ElementsAre("light", "hollow"));
  EXPECT_THAT(two[1].shared, ElementsAre("hollow"));
  EXPECT_THAT(words_of(piece(0x5)), ElementsAre("dark", "short", "round", "hollow"));
}

TEST(Quartos, AreThereExactlyWhereThePositionIsWon) {
  for (const Rules rules : kAllRules) {
    Rng rng(1);
    int won = 0;
    for (int game = 0; game < 200; ++game) {
      Position p(rules);
      while (!p.is_terminal()) {
        ASSERT_TRUE(quartos(p).empty()) << to_string(p);
        p.play(random_move(p, rng));
      }
      ASSERT_EQ(!quartos(p).empty(), p.is_won()) << to_string(p);
      won += p.is_won();
    }
    EXPECT_GT(won, 100);
  }
}

}  // namespace
}  // namespace quarto
