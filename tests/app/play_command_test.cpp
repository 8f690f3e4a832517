#include <gmock/gmock.h>

#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using PlayCommand = CommandTest;

const char* const kEight = " --position \"..../2F.A/E9../.8B3 -\" --opponent oneply --table-mb 32";

TEST_F(PlayCommand, EndsPolitelyWithItsInput) {
  const Ran ran = run("play");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("Goodbye"));
  EXPECT_EQ(ran.err, "");
}

TEST_F(PlayCommand, DrawsInUnicodeWhereTheLocaleSaysSo) {
  EXPECT_THAT(run("play", "quit\n", "LC_ALL=C.UTF-8").out, HasSubstr("╭━━━╮"));
  EXPECT_THAT(run("play --ascii", "quit\n", "LC_ALL=C.UTF-8").out, AllOf(Not(HasSubstr("╭")), HasSubstr(".===.")));
  EXPECT_THAT(run("play", "quit\n", "LC_ALL=C").out, AllOf(Not(HasSubstr("╭")), HasSubstr(".===.")));
}

TEST_F(PlayCommand, ColoursOnlyOnATerminalOrWhenAskedTo) {
  EXPECT_THAT(run("play", "quit\n").out, Not(HasSubstr("\033")));
  EXPECT_THAT(run("play --color always", "quit\n").out, HasSubstr("\033["));
}

TEST_F(PlayCommand, HintAndAnalysisAreExact) {
  const Ran ran = run(std::string("play") + kEight, "analyse\nhint\nquit\n");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Exact value for you, giving: "));
  EXPECT_THAT(ran.out, HasSubstr("Hint: give "));
  EXPECT_THAT(ran.out, HasSubstr(". Exact: a "));
}

TEST_F(PlayCommand, OpensWithALearnedNetworkAndOffersLevels) {
  EXPECT_THAT(run("play", "quit\n").out,
              testing::ContainsRegex("Quarto against strong \\(light:.*zero/model.light\\)"));
  EXPECT_THAT(run("play --level beginner", "0\nquit\n").out, HasSubstr("beginner places 0 on"));
  EXPECT_THAT(run("play --level expert --rules squares", "quit\n").out,
              testing::ContainsRegex("Quarto against expert \\(endgame:11,sharp:light:.*squares/model.light@32\\)"));
  EXPECT_THAT(
      run("play --level unbeatable --rules squares", "quit\n").out,
      testing::ContainsRegex("Quarto against unbeatable \\(endgame:13,sharp:light:.*squares/model.light@32\\)"));
  EXPECT_EQ(run("play --opponent unbeatable", "quit\n").out, run("play --level unbeatable", "quit\n").out);
  EXPECT_EQ(run("play --level nobody").status, 2);
  EXPECT_EQ(run("play --level beginner --opponent oneply").status, 2);
}

// Two gives draw; the others lose (docs/http.md).
TEST_F(PlayCommand, AHintAmongEqualMovesIsTheNetworks) {
  EXPECT_THAT(run(std::string("play") + kEight, "hint\nquit\n").out,
              testing::ContainsRegex(
                  "Hint: give [45]. Exact: a draw with perfect play; the network's choice among 2 such moves."));
}

TEST_F(PlayCommand, KnowsTheEmptyBoardFromTheBook) {
  const Ran ran = run("play --opponent random", "analyse\nquit\n");
  EXPECT_THAT(ran.out, HasSubstr("Exact value for you, giving: draw"));
}

TEST_F(PlayCommand, SaysWhenItCouldNotSolve) {
  // The first ply after the book: a tenth of a second of work at least.
  const Ran ran = run("play --rules squares --position '.97./..../1..D/.... F' --analysis-seconds 0.01 --table-mb 16",
                      "analyse\nhint\nquit\n");
  EXPECT_THAT(ran.out, HasSubstr("Not solved in"));
  EXPECT_THAT(ran.out, HasSubstr("Not exact"));
}

TEST_F(PlayCommand, UndoTakesBackTheMoveAndItsAnswer) {
  const Ran ran = run(std::string("play") + kEight, "undo\n7\nundo\nposition\nquit\n");
  EXPECT_THAT(ran.out, HasSubstr("no move of yours"));
  EXPECT_THAT(ran.out, HasSubstr("Taken back: 7."));
  EXPECT_THAT(ran.out, HasSubstr("> ..../2F.A/E9../.8B3 -\n"));
}

TEST_F(PlayCommand, AnnouncesAWinAndMarksTheLine) {
  // d4 completes the row 0 8 B 3: all square.
  const Ran ran = run("play --position \"..../2F.A/E9../08B. 3\" --ascii", "d4\nundo\nmoves\nnew\nquit\n");
  EXPECT_THAT(ran.out, HasSubstr("Quarto! You win."));
  EXPECT_THAT(ran.out, HasSubstr("|*[ 0 ]*|*[#8#]*|*[#B#]*|*[ 3 ]*|"));
  EXPECT_THAT(ran.out, HasSubstr("Taken back: d4."));
}

TEST_F(PlayCommand, GivingALoserLosesToAPlayerWhoSeesIt) {
  const Ran ran = run(std::string("play") + kEight, "0\n3\nquit\n");
  EXPECT_THAT(ran.out, HasSubstr("oneply places 0 on"));
  EXPECT_THAT(ran.out, HasSubstr("Quarto! oneply wins."));
  EXPECT_THAT(ran.out, HasSubstr("The game is over, so '3' was not played."));
}

TEST_F(PlayCommand, MovesOfTheOpponentAreNotTakenFromTheLine) {
  const Ran ran = run("play --opponent random --seed 1", "0 a1 5\nmoves\nquit\n");
  EXPECT_THAT(ran.out, HasSubstr("It is random's turn, so 'a1' was not played."));
  EXPECT_THAT(ran.out, HasSubstr("random places 0 on "));
  // A place and a give of one's own are one line.
  const Ran both = run("play --first opponent --opponent random --seed 1", "a1 0\nquit\n");
  EXPECT_THAT(both.out, Not(HasSubstr("was not played")));
  EXPECT_THAT(both.out, HasSubstr("random places 0 on "));
}

TEST_F(PlayCommand, ShowsTheBoardWhenTheSecondMoveOfALineIsRefused) {
  // Holds 0 and gives it again.
  const Ran ran = run("play --position \"..../..../..../.... 0\" --opponent random --ascii", "a1 0\nquit\n");
  const auto refused = ran.out.find("0 is on the board already");
  ASSERT_NE(refused, std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("give>", refused), std::string::npos);
  EXPECT_NE(ran.out.find("|  b1   |  c1   |  d1   |", refused), std::string::npos) << ran.out;
}

// It is then the user's turn again, not the opponent's.
TEST_F(PlayCommand, UndoAfterTheOpponentFailedTakesBackTheUsersMove) {
  write_file_atomic(path("bad.sh"),
                    "while read line; do case \"$line\" in uqi) echo uqiok;; isready) echo readyok;; go*) echo "
                    "bestmove zz;; quit) exit;; esac; done\n");
  const Ran ran = run("play --opponent 'engine:sh " + path("bad.sh") + "' --ascii", "0\nundo\n5\nundo\nundo\nquit\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto back = ran.out.find("Taken back: 0.");
  ASSERT_NE(back, std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("give> ", back), std::string::npos);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Taken back: 5."), HasSubstr("There is no move of yours to take back."),
                             Not(HasSubstr("place 0 on>")), Not(HasSubstr("was not played"))));
  // It fails before the user has moved.
  const Ran first =
      run("play --first opponent --opponent 'engine:sh " + path("bad.sh") + "' --ascii", "undo\nhint\nquit\n");
  EXPECT_THAT(first.out, AllOf(HasSubstr("There is no move of yours to take back."), HasSubstr("The game is over.")));
}

TEST_F(PlayCommand, AnnouncesADraw) {
  // Fifteen pieces down and the last one in hand, which completes nothing.
  const Ran ran = run("play --position \"" + std::string("7938/A2BD/F5C0/1E4. 6") + "\" --ascii", "d4\nquit\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("a draw"));
}

TEST_F(PlayCommand, ExplainsWhatItDoesNotAccept) {
  const Ran ran = run(std::string("play") + kEight,
                      "b3\nq9\n2\nz\nhnit\nposition 12\nposition ..../..../..../.... 3\n5\nz9\na1 0 b1\nquit\n");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("'b3' is a square: it is a piece that you give now"));
  EXPECT_THAT(ran.out, HasSubstr("'q9' is no piece, nor a square: it is a piece that you give now"));
  EXPECT_THAT(ran.out, HasSubstr("2 is on the board already"));
  EXPECT_THAT(ran.out, HasSubstr("'z' is neither a move nor a command"));
  EXPECT_THAT(ran.out, HasSubstr("did you mean 'hint'"));
  EXPECT_THAT(ran.out, HasSubstr("Not a position: "));
  EXPECT_THAT(ran.out, HasSubstr("'5' is a piece, but you hold 3"));
  EXPECT_THAT(ran.out, HasSubstr("'z9' is not on the board"));
}

TEST_F(PlayCommand, TheOpponentMayActFirst) {
  const Ran ran = run("play --first opponent --opponent random --seed 2", "resign\nquit\n");
  EXPECT_THAT(ran.out, HasSubstr("random gives you "));
  EXPECT_THAT(ran.out, HasSubstr("You resign: random wins."));
}

// What `engine --help` shows as a session is one.
TEST_F(PlayCommand, TheSessionInTheHelpOfTheEngineCanBePipedIn) {
  const std::string help = run("engine --help").out;
  const std::string label = "A session:\n";
  const auto at = help.find(label);
  ASSERT_NE(at, std::string::npos);
  std::string session;
  for (std::size_t line = at + label.size(); help.compare(line, 2, "  ") == 0; line = help.find('\n', line) + 1)
    session += help.substr(line, help.find('\n', line) + 1 - line);
  EXPECT_THAT(session, HasSubstr("go "));
  const Ran ran = run("engine", session);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\nbestmove "));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("error")));
}

TEST_F(PlayCommand, WrongCommandLinesExitWithTwo) {
  EXPECT_EQ(run("play --opponent nobody").status, 2);
  EXPECT_EQ(run("play --position ''").status, 2);
  EXPECT_EQ(run("play --first you").status, 2);
  fails(2, "play --position \"..../2X.A/E9../.8B3 -\"",
        testing::AllOf(HasSubstr("--position"), HasSubstr("\n  ..../2X.A/E9../.8B3 -\n        ^")));
  EXPECT_EQ(run("play --position \"0123/..../..../.... -\"").status, 2);  // that game is over
}

}  // namespace
}  // namespace quarto
