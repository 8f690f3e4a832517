#include "eval/game_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "env/notation.h"
#include "eval/match.h"
#include "tests/support/as_others_write.h"
#include "tests/support/message_of.h"

namespace quarto {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& text) {
  return message_of<GameTextError>([&] { parse_games(text, "file", Rules::lines); });
}

TEST(PlayedGames, AreReadFromMovesAndFromWhatAMatchWrites) {
  const std::vector<PlayedGame> games = parse_games(
      "# A = net:x@32, B = engine:cd x; ./bot; points of A, who gave first, moves\n"
      "1\tA\t0 a1 7 c2\n"
      "\n"
      "0\tB\t0 a1 7\t# failed: ended with status 3\r\n"
      "3 d4 C\n"
      "0\tA\t\t# failed: it ended before its first move\n",
      "file", Rules::lines);
  ASSERT_EQ(games.size(), 4U);
  EXPECT_EQ(games[0].name, "file:2");
  EXPECT_EQ(games[0].players[0], "net:x@32");
  EXPECT_EQ(games[0].points_of_first, 1);
  EXPECT_EQ(to_string(games[0].moves), "0 a1 7 c2");
  EXPECT_EQ(games[1].players[0], "engine:cd x; ./bot");
  EXPECT_EQ(games[1].points_of_first, 1);
  EXPECT_EQ(games[1].note, "failed: ended with status 3");
  EXPECT_EQ(games[2].players[0], "");
  EXPECT_FALSE(games[2].points_of_first);
  EXPECT_TRUE(games[3].moves.empty());
  EXPECT_EQ(games[3].note, "failed: it ended before its first move");
}

TEST(PlayedGames, AreReadHoweverAProgramWritesThem) {
  for (const std::string& text : as_others_write("0 a1 7 c2\n3 d4 C\n")) {
    const std::vector<PlayedGame> games = parse_games(text, "file", Rules::lines);
    ASSERT_EQ(games.size(), 2U);
    EXPECT_EQ(games[1].name, "file:2");
    EXPECT_EQ(to_string(games[1].moves), "3 d4 C");
  }
}

TEST(PlayedGames, PointsAreThoseOfWhoGaveFirst) {
  for (const auto& [line, points] : std::map<std::string, double>{
           {"1\tA", 1}, {"1\tB", 0}, {"1/2\tA", 0.5}, {"1/2\tB", 0.5}, {"0\tA", 0}, {"0\tB", 1}}) {
    const std::vector<PlayedGame> games = parse_games(line + "\t0 a1\t#\n", "file", Rules::lines);
    ASSERT_EQ(games.size(), 1U) << line;
    EXPECT_EQ(games[0].points_of_first, points) << line;
    EXPECT_EQ(games[0].note, "") << "a comment without a word";
  }
}

TEST(PlayedGames, OnlyALineThatNamesBothPlayersIsTheHead) {
  for (const std::string line : {"#", "# A = x", "# A = x, B = y", "# B = y; points of A",
                                 "# A = x; points of A; rules squares", "#, B = y; points of A; rules squares"}) {
    const std::vector<PlayedGame> games = parse_games(line + "\n1\tA\t0 a1\n", "file", Rules::lines);
    ASSERT_EQ(games.size(), 1U);
    EXPECT_EQ(games[0].players[0] + games[0].players[1], "") << line;
  }
}

TEST(PlayedGames, OfOtherRulesAreRefusedWhereTheyAreNamed) {
  const std::string text = "# A = x; rules squares, B = y; points of A, who gave first, moves; rules {}\n1\tA\t0 a1\n";
  const auto of = [&](const std::string& rules) { return fmt::format(fmt::runtime(text), rules); };
  EXPECT_EQ(error_of(of("lines")), "no error");
  EXPECT_EQ(error_of(of("squares")), "file:1: games by the rules 'squares', not 'lines': use --rules squares");
  EXPECT_EQ(parse_games(of("squares"), "file", Rules::squares).size(), 1U);
}

TEST(PlayedGames, MistakesAreNamedWithTheirLine) {
  EXPECT_THAT(error_of("0 a1\n0 a1 0\n"), HasSubstr("file:2: "));
  EXPECT_THAT(error_of("2\tA\t0 a1\n"), HasSubstr("file:1: '2' is not the points of A"));
  EXPECT_THAT(error_of("1\tC\t0 a1\n"), HasSubstr("'C' did not give first"));
  EXPECT_THAT(error_of("1\tA\n"), HasSubstr("expected moves"));
  EXPECT_THAT(error_of("# nothing\n"), HasSubstr("no game in it"));
  EXPECT_THAT(error_of(""), HasSubstr("no game in it"));
  EXPECT_THAT(error_of("\t\n  \r\n"), HasSubstr("no game in it"));
}

// A match's games, read again; by other rules they are refused.
TEST(PlayedGames, OfAMatchComeBackAsTheyWere) {
  MatchResult result;
  result.a = "net:x@32";
  result.b = "engine:cd x; ./bot";
  result.games = {{.moves = parse_game("0 a1 7 c2", Rules::squares), .a_first = true, .a_points = 1},
                  {.moves = parse_game("3 d4", Rules::squares), .a_points = 0.5, .on_time = true},
                  {.moves = {}, .a_points = 0, .forfeit = "ended with status 3"}};
  for (const Rules rules : kAllRules) {
    const std::string text = games_text(result, rules);
    const std::vector<PlayedGame> games = parse_games(text, "file", rules);
    ASSERT_EQ(games.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      const MatchGame& g = result.games[i];
      EXPECT_EQ(to_string(games[i].moves), to_string(g.moves));
      EXPECT_EQ(games[i].players[g.a_first ? 0 : 1], result.a);
      EXPECT_EQ(games[i].players[g.a_first ? 1 : 0], result.b);
      EXPECT_EQ(games[i].points_of_first, g.a_first ? g.a_points : 1 - g.a_points);
    }
    EXPECT_EQ(games[1].note, "lost on time");
    EXPECT_EQ(games[2].note, "failed: ended with status 3");
    for (const Rules other : kAllRules) {
      if (other == rules) continue;
      EXPECT_THROW(parse_games(text, "file", other), GameTextError);
    }
  }
}

}  // namespace
}  // namespace quarto
