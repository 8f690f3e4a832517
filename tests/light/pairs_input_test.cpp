#include "light/pairs_input.h"

#include <gtest/gtest.h>

#include "env/notation.h"
#include "tests/support/random_positions.h"

namespace quarto::light {
namespace {

TEST(PairsInput, CategoriesAreWhatPlayingThePairWouldShow) {
  Rng rng(5);
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int i = 0; i < 300; ++i) {
      const Position p = random_position(rng, rules);
      if (p.is_terminal()) continue;
      const PairsInput in(p);
      Position board = p;
      if (p.has_hand()) board.undo_give();
      ASSERT_EQ(in.n, 16 - p.pieces_on_board());
      for (int row = 0; row < in.n; ++row) {
        for (int column = 0; column < in.n; ++column) {
          Position after = board;
          after.give(piece(in.pieces[static_cast<std::size_t>(row)]));
          after.place(square(in.squares[static_cast<std::size_t>(column)]));
          int safe = 0;
          for (const int q : BitsOf(after.available())) {
            Position given = after;
            given.give(piece(q));
            safe += given.winning_squares(piece(q)) == 0;
          }
          const int expected = after.is_won() ? kWins : safe;
          EXPECT_EQ(in.category[static_cast<std::size_t>(row * in.n + column)], expected) << to_string(p);
        }
      }
    }
  }
}

TEST(PairsInput, LinesAreAliveForTheAttributeValuesOfAllTheirPieces) {
  // b1 and d1 share dark, tall and solid; e row 1 has two gaps.
  const PairsInput in(parse_position(".F.B/..../..../.... -"));
  ASSERT_EQ(in.lines, kLines);
  int first_line = 0;
  for (int i = 0; i < in.alive_count; ++i) {
    const auto& a = in.alive[static_cast<std::size_t>(i)];
    if (a.line != 0) continue;
    ++first_line;
    EXPECT_EQ(a.state, 2);
    EXPECT_TRUE(a.attribute_value == 1 || a.attribute_value == 3 || a.attribute_value == 7) << int{a.attribute_value};
  }
  EXPECT_EQ(first_line, 3);
  EXPECT_EQ(in.line[0].columns, 2);
}

TEST(PairsInput, TheHandIsARow) {
  const PairsInput in(parse_position("5..2/..../..../.... C"));
  ASSERT_GE(in.hand, 0);
  EXPECT_EQ(in.pieces[static_cast<std::size_t>(in.hand)], 0xC);
  EXPECT_TRUE(in.placing);
  EXPECT_EQ(PairsInput(parse_position("5..2/..../..../.... -")).hand, -1);
}

}  // namespace
}  // namespace quarto::light
