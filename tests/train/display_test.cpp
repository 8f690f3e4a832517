#include "train/display.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/notation.h"

namespace quarto {
namespace {

TEST(Sparkline, SpansItsRange) {
  EXPECT_EQ(sparkline({0, 7}), "▁█");
  EXPECT_EQ(sparkline({1, 1}), "▁▁");
  EXPECT_EQ(sparkline({}), "");
}

TEST(PlainLine, SaysHowFarHowFastAndHowLong) {
  RunStatus s;
  s.iteration = 7;
  s.games = 1750;
  s.progress = 0.5;
  s.remaining = 150;
  s.self_play_seconds = 10;
  s.counts.games = 250;
  s.counts.evaluations = 200000;
  s.counts.batches = 4000;
  s.agreement = {{"deep", 0.5}};
  s.measured = {{"agreement", s.agreement}};
  const std::string line = plain_line(s);
  EXPECT_THAT(line, testing::HasSubstr("iteration 7: 50% done, 2 min 30 s left"));
  EXPECT_THAT(line, testing::HasSubstr("1.8k games (25/s), 20.0k evaluations/s, batch 50"));
  EXPECT_THAT(line, testing::HasSubstr("agreement deep 50.0%"));
}

TEST(PlainLine, HasTheAgreementOfItsOwnIterationOnly) {
  RunStatus s;
  s.agreement = {{"deep", 0.5}};
  s.measured = {{"agreement", s.agreement}};
  EXPECT_THAT(plain_line(s), testing::HasSubstr("agreement deep 50.0%"));
  s.measured = nullptr;
  EXPECT_THAT(plain_line(s), testing::Not(testing::HasSubstr("agreement")));
}

// Who wins is said of the players in the order in which they began, whoever made the last move.
TEST(ShownGame, SaysHowItEnded) {
  const auto shown = [](const std::string& moves, Value result, const Position& start = Position()) {
    GameRecord game;
    game.start = start;
    Position end = start;
    for (const Move m : parse_game(moves)) {
      game.moves.push_back(m);
      end.play(m);
    }
    game.result = end.is_terminal() ? end.terminal_value() : result;
    return shown_game({game});
  };
  EXPECT_EQ(shown("0 a1 1 b1 2 c1 3 d1", Value::draw).result, "first player wins");
  EXPECT_EQ(shown("4 a4 0 a1 1 b1 2 c1 3 d1", Value::draw).result, "second player wins");
  EXPECT_EQ(
      shown("F d2 2 a2 3 a1 B b2 C c4 5 d4 0 c3 8 c2 7 c1 9 d3 6 b3 4 d1 D b1 1 a4 E a3 A b4", Value::loss).result,
      "draw");
  // Given up once proven: the second player holds the piece.
  EXPECT_EQ(shown("0", Value::win).result, "second player wins, proven before the end");
  EXPECT_EQ(shown("0 a1", Value::loss).result, "first player wins, proven before the end");
  const ShownGame later = shown("C", Value::draw, parse_position("..../2F.A/E9../.8B3 -", Rules::lines));
  EXPECT_EQ(later.moves, "..../2F.A/E9../.8B3 - : C");
  EXPECT_EQ(later.result, "draw, proven before the end");
  EXPECT_EQ(shown_game({}).moves, "");
}

TEST(Display, WritesALineForEveryIterationThatMeasured) {
  testing::internal::CaptureStderr();
  Display display("", false);
  RunStatus s;
  s.agreement = {{"deep", 0.5}};
  s.progress = 0.5;
  for (s.iteration = 1; s.iteration <= 6; ++s.iteration) {
    s.measured = s.iteration % 3 == 0 ? s.agreement : nlohmann::json();
    display.iteration(s);
  }
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, testing::HasSubstr("iteration 1:"));
  EXPECT_THAT(lines, testing::HasSubstr("iteration 3:"));
  EXPECT_THAT(lines, testing::HasSubstr("iteration 6:"));
  for (const char* none : {"iteration 2:", "iteration 4:", "iteration 5:"}) {
    EXPECT_THAT(lines, testing::Not(testing::HasSubstr(none)));
  }
}

TEST(Display, SaysOnceWhatLimitsTheRun) {
  testing::internal::CaptureStderr();
  Display display("", false);
  display.begin("training in runs/a");
  RunStatus s;
  s.agreement = {{"deep", 0.5}};
  s.self_play_seconds = 1;
  for (s.iteration = 1; s.iteration <= 4; ++s.iteration) {
    s.measured = s.agreement;
    s.learning_seconds = 2 + static_cast<double>(s.iteration) / 10;
    s.in_turn = s.iteration != 3;
    display.iteration(s);
  }
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_THAT(lines, testing::StartsWith("training in runs/a\niteration 1:"));
  const auto first = lines.find("the learner limits the run");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(lines.find("the learner limits the run", first + 1), std::string::npos) << lines;
  EXPECT_THAT(lines, testing::HasSubstr("nothing has been measured yet"));
}

}  // namespace
}  // namespace quarto
