#include <gmock/gmock.h>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using AnalyseCommand = CommandTest;

// What a match writes goes in; text, JSON and page say the same.
TEST_F(AnalyseCommand, TheGamesOfAMatch) {
  ASSERT_EQ(run("match random oneply --games 6 --opening-plies 8 --out-games " + path("games.txt")).status, 0);
  says("analyse " + path("games.txt") + " --json " + path("a.json") + " --html " + path("a.html"),
       AllOf(HasSubstr("games.txt:2: random against oneply"), HasSubstr("draw to loss")));
  const json analysis = json::parse(read_file(path("a.json")));
  EXPECT_EQ(analysis.at("complete"), true);
  ASSERT_EQ(analysis.at("games").size(), 6U);
  int mistakes = 0;
  for (const json& game : analysis.at("games")) {
    for (const json& move : game.at("moves")) mistakes += move.at("loss").get<int>() > 0;
  }
  int of_players = 0;
  for (const json& player : analysis.at("players")) of_players += player.at("mistakes").get<int>();
  EXPECT_EQ(mistakes, of_players);
  EXPECT_GT(mistakes, 0);
  const std::string page = read_file(path("a.html"));
  std::size_t boards = 0;
  for (std::size_t at = 0; (at = page.find("<figcaption>move ", at)) != std::string::npos; ++at) ++boards;
  EXPECT_EQ(boards, static_cast<std::size_t>(mistakes));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
}

TEST_F(AnalyseCommand, MovesOnTheCommandLineAndOnStandardInput) {
  const std::string moves = "0 a1 7 b2 9 c3 2 d4 1 a2 4 b1";
  const Ran words = run("analyse " + moves), text = run("analyse '" + moves + "'");
  ASSERT_EQ(words.status, 0) << words.err;
  EXPECT_THAT(words.out, AllOf(HasSubstr("12 moves"), HasSubstr("gives 7"), HasSubstr("7 on b2")));
  EXPECT_EQ(words.out, text.out);
  EXPECT_THAT(run("analyse -", moves + "\n").out, HasSubstr("standard input:1: "));
}

TEST_F(AnalyseCommand, TheGamesOfAMatchByOtherRulesAreRefused) {
  ASSERT_EQ(run("match random oneply --rules squares --games 2 --opening-plies 16 --out-games " + path("g.txt")).status,
            0);
  fails(1, "analyse " + path("g.txt"), HasSubstr("use --rules squares"));
  EXPECT_EQ(run("analyse " + path("g.txt") + " --rules squares").status, 0);
}

// A player's name may be any bytes, and a game may have ended before its first move.
TEST_F(AnalyseCommand, NamesThatAreNoTextAndGamesWithoutMoves) {
  write_file_atomic(path("games.txt"),
                    "# A = caf\xE9, B = y; points of A, who gave first, moves\n"
                    "1\tA\t0 a1 7 b2 9 c3 2 d4 1 a2 4 b1\n"
                    "0\tA\t\t# failed: ended with status 3\n");
  const Ran ran = run("analyse " + path("games.txt") + " --json " + path("a.json") + " --html " + path("a.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json analysis = json::parse(read_file(path("a.json")));
  EXPECT_EQ(analysis.at("games").size(), 2U);
  EXPECT_THAT(analysis.at("games")[0].dump(), HasSubstr("caf\xEF\xBF\xBD"));
  EXPECT_TRUE(std::filesystem::exists(path("a.html")));
}

TEST_F(AnalyseCommand, AnExplorerOfOpenings) {
  ASSERT_EQ(run("match random oneply --games 6 --opening-plies 0 --out-games " + path("games.txt")).status, 0);
  const Ran empty = run("explore --games " + path("games.txt") +
                        " --suite " QUARTOZERO_CHECKPOINTS "/../eval/suites/deep.tsv --json " + path("e.json"));
  ASSERT_EQ(empty.status, 0) << empty.err;
  const json found = json::parse(read_file(path("e.json")));
  ASSERT_EQ(found.at("moves").size(), 1U);  // all first gives are images of each other
  EXPECT_EQ(found["moves"][0]["games"], 6);
  EXPECT_EQ(found["moves"][0]["value"], 0);
  says("explore 0 --json " + path("e.json"), HasSubstr("a1 d1 b2 c2 b3 c3 a4 d4"));
  EXPECT_EQ(run("explore '..../2F.A/E9../.8B3 -' C b1").status, 0);
  EXPECT_THAT(run("explore 0 a1 0").err, HasSubstr("the piece is not there any more"));
  EXPECT_THAT(run("explore 0 a1 7 a1").err, HasSubstr("the square is taken"));
  EXPECT_THAT(run("explore 0 x9").err, HasSubstr("move 'x9'"));
  EXPECT_THAT(run("explore 0 a1 1 b1 2 c1 3 d1").out, HasSubstr("The game is over: there is a quarto"));
}

TEST_F(AnalyseCommand, MistakesAreNamed) {
  EXPECT_THAT(run("analyse 0 a1 0").err, HasSubstr("command line:1: "));
  EXPECT_THAT(run("analyse " + path("absent.txt")).err, HasSubstr("No such file"));
  EXPECT_EQ(run("analyse").status, 2);
}

}  // namespace
}  // namespace quarto
