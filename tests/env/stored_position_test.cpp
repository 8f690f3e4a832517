#include "env/stored_position.h"

#include <gtest/gtest.h>

#include "env/notation.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

std::uint8_t hand_of(const Position& p) {
  return p.has_hand() ? static_cast<std::uint8_t>(index(p.hand())) : std::uint8_t{kStoredNoHand};
}

TEST(StoredPosition, IsReadBackUnlessTheGameIsOver) {
  Rng rng(1);
  for (const Rules rules : kAllRules) {
    int over = 0;
    for (int i = 0; i < 2000; ++i) {
      Position p = random_position(rng, rules);
      if (i % 2 == 0) p.play(random_move(p, rng));
      const char* fault = stored_position_fault(rules, p.attributes(), p.occupied(), hand_of(p));
      if (p.is_terminal()) {
        ASSERT_STREQ(fault, "the game is over") << to_string(p);
        ++over;
      } else {
        ASSERT_EQ(fault, nullptr) << to_string(p);
        ASSERT_EQ(stored_position(rules, p.attributes(), p.occupied(), hand_of(p)), p);
      }
    }
    EXPECT_GT(over, 10);
  }
}

TEST(StoredPosition, SaysWhatCannotBe) {
  Rng rng(2);
  for (int i = 0; i < 300; ++i) {
    const Position p = random_position(rng);
    if (p.is_terminal() || p.pieces_on_board() < 2) continue;
    const auto fault = [&](Bitboards attributes, int hand) {
      const char* wrong = stored_position_fault(p.rules(), attributes, p.occupied(), static_cast<std::uint8_t>(hand));
      return std::string(wrong ? wrong : "");
    };
    for (const int s : BitsOf(p.empty()))
      EXPECT_EQ(fault(p.attributes() | std::uint64_t{1} << s, hand_of(p)), "a piece's attributes on an empty square");
    for (const int hand : {16, 100, 254}) EXPECT_EQ(fault(p.attributes(), hand), "no such piece in hand");
    for (const int s : BitsOf(p.occupied()))
      EXPECT_EQ(fault(p.attributes(), index(p.piece_at(square(s)))), "the piece in hand is on the board");
    // The piece without attributes on every square.
    EXPECT_EQ(fault(0, hand_of(p)), "a piece twice on the board");
  }
}

}  // namespace
}  // namespace quarto
