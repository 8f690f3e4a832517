#include "env/quartos.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/notation.h"
#include "env/random_play.h"

namespace quarto {
namespace {

using testing::ElementsAre;

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
