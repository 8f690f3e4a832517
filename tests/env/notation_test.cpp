#include "env/notation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/stored_position.h"
#include "tests/support/message_of.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

std::string error_of(std::string_view text) {
  return message_of<NotationError>([&] { parse_position(text); });
}

TEST(Notation, TheDesignsExampleReadsBack) {
  const std::string text = "..../2F.A/E9../.8B3 -";
  const Position p = parse_position(text);
  EXPECT_EQ(p.pieces_on_board(), 8);
  EXPECT_EQ(p.phase(), Phase::give);
  EXPECT_EQ(p.piece_at(parse_square("a2")), piece(2));
  EXPECT_EQ(p.piece_at(parse_square("d4")), piece(3));
  EXPECT_EQ(to_string(p), text);
}

TEST(Notation, TheEmptyBoard) { EXPECT_EQ(to_string(Position()), "..../..../..../.... -"); }

TEST(Notation, RandomPositionsReadBack) {
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    const Position p = random_position(rng);
    ASSERT_EQ(parse_position(to_string(p)), p);
  }
}

TEST(Notation, LowerCasePiecesAreAccepted) {
  EXPECT_EQ(to_string(parse_position("a.../..../..../.... b")), "A.../..../..../.... B");
}

TEST(Notation, ErrorsNameTheCharacterAndWhatWasExpected) {
  EXPECT_EQ(error_of(""), "character 1: found the end of the text, expected a piece 0..F or '.' for an empty square");
  EXPECT_EQ(error_of("...G/..../..../.... -"),
            "character 4: found 'G', expected a piece 0..F or '.' for an empty square");
  EXPECT_EQ(error_of("....."), "character 5: found '.', expected '/' between rows of four squares");
  EXPECT_EQ(error_of("..../..../..../...."),
            "character 20: found the end of the text, expected a blank before the piece in hand");
  EXPECT_EQ(error_of("..../..../..../.... "),
            "character 21: found the end of the text, expected the piece in hand 0..F, or '-' for none");
  EXPECT_EQ(error_of("..../..../..../.... -x"),
            "character 22: found 'x', expected the end of the text after the piece in hand");
  EXPECT_EQ(error_of("1..1/..../..../.... -"), "character 4: piece 1 is already on a1");
  EXPECT_EQ(error_of("1.../..../..../.... 1"), "character 21: piece 1 is in hand and also on a1");
  EXPECT_EQ(error_of("1357/..../..../.... 2"),
            "character 21: the board already has a quarto, so no piece can be in hand");
  EXPECT_EQ(error_of("\t.../"), "character 1: found byte 0x09, expected a piece 0..F or '.' for an empty square");
  EXPECT_EQ(error_of("\x7F.../"), "character 1: found byte 0x7F, expected a piece 0..F or '.' for an empty square");
  for (const char outside : {'/', ':', '@', 'G', '`', 'g'}) {
    EXPECT_THAT(error_of(outside + std::string(".../..../..../.... -")),
                testing::HasSubstr("expected a piece 0..F or '.' for an empty square"))
        << outside;
    EXPECT_THAT(error_of(std::string("..../..../..../.... ") + outside),
                testing::HasSubstr("expected the piece in hand 0..F, or '-' for none"))
        << outside;
  }
}

TEST(Notation, AShortRowIsNamedWhereItStops) {
  EXPECT_EQ(error_of("..../A../..../.... -"),
            "character 9: found '/', expected a piece 0..F or '.' for d2: row 2 has 3 of its 4 squares");
  EXPECT_EQ(error_of("..../..../..../... -"),
            "character 19: found ' ', expected a piece 0..F or '.' for d4: row 4 has 3 of its 4 squares");
  EXPECT_EQ(
      error_of("..../5"),
      "character 7: found the end of the text, expected a piece 0..F or '.' for b2: row 2 has 1 of its 4 squares");
}

TEST(Notation, AWonBoardWithoutAPieceInHandIsAPosition) {
  EXPECT_TRUE(parse_position("1357/..../..../.... -").is_won());
}

TEST(Notation, SquaresAreColumnThenRow) {
  EXPECT_EQ(parse_square("a1"), square(0));
  EXPECT_EQ(parse_square("b1"), square(1));
  EXPECT_EQ(parse_square("a2"), square(4));
  EXPECT_EQ(parse_square("d4"), square(15));
  for (int s = 0; s < kSquares; ++s) EXPECT_EQ(parse_square(to_string(square(s))), square(s));
  EXPECT_THROW(parse_square("e1"), NotationError);
  EXPECT_THROW(parse_square("a5"), NotationError);
  EXPECT_THROW(parse_square("a11"), NotationError);
  EXPECT_THROW(parse_square("a"), NotationError);
  for (const char* wrong : {"", "A1", "`1", "a0", "a:"}) EXPECT_THROW(parse_square(wrong), NotationError) << wrong;
  EXPECT_THROW(parse_piece(""), NotationError);
  EXPECT_THROW(parse_piece("10"), NotationError);
  EXPECT_THROW(parse_piece("-"), NotationError);
}

TEST(Notation, GamesReadBackAndIllegalMovesAreNamed) {
  const std::string text = "0 a1 7 c2";
  EXPECT_EQ(to_string(parse_game(text)), text);
  const auto error = [](const char* game) { return message_of<NotationError>([&] { parse_game(game); }); };
  EXPECT_EQ(error("0 a1 7 a1"), "character 8: move 4 ('a1') is illegal: the square is taken");
  EXPECT_EQ(error("0 a1 0"), "character 6: move 3 ('0') is illegal: the piece is already in play");
  EXPECT_THAT(error("0 7"), testing::StartsWith("character 3: move 2 ('7') is not a place"));
  EXPECT_THAT(error("1 a1 3 b1 5 c1 7 d1 0"), testing::HasSubstr("after the game has ended"));
}

TEST(Notation, BlanksBetweenMovesDoNotMatter) {
  EXPECT_EQ(parse_game("  0  a1 7   c2 "), parse_game("0 a1 7 c2"));
  EXPECT_TRUE(parse_game("").empty());
  EXPECT_TRUE(parse_game("   ").empty());
}

TEST(Notation, RulesHaveNames) {
  EXPECT_EQ(parse_rules("squares"), Rules::squares);
  EXPECT_THROW(parse_rules("square"), std::invalid_argument);
}

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
