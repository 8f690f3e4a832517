// Time for a whole game.
#include "play/clock.h"

#include <gmock/gmock.h>

#include "base/random.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "light/evaluator.h"
#include "play/choose.h"
#include "tests/play/some_network.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

using std::chrono::milliseconds;

// Every decision of a game takes all of its budget, and a little more than it: how a busy machine is.
milliseconds left_after_a_game(GameClock clock, milliseconds delay, std::uint64_t seed) {
  Rng rng(seed);
  std::array<GameClock, 2> clocks = {clock, clock};
  Position p;
  while (!p.is_terminal()) {
    GameClock& mine = clocks[static_cast<std::size_t>(p.player_to_act())];
    mine.spend(budget_of(p, mine).time + delay);
    if (mine.flag_fallen()) return mine.left;
    p.play({p.phase(), static_cast<std::uint8_t>(random_bit(p.legal_moves(), rng))});
  }
  return std::min(clocks[0].left, clocks[1].left);
}

TEST(Clock, SpendingEveryBudgetNeverLosesOnTime) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const int left : {100, 1000, 60'000}) {
      for (const int increment : {0, 10, 1000})
        EXPECT_GE(left_after_a_game({milliseconds(left), milliseconds(increment)}, milliseconds(1), seed).count(), 0)
            << left << "+" << increment;
    }
    EXPECT_GE(left_after_a_game({milliseconds(1000)}, milliseconds(5), seed).count(), 0);
  }
}

TEST(Clock, MostOfTheTimeIsUsedBeforeExactPlayIsCheap) {
  GameClock clock{milliseconds(10'000)};
  const GameClock whole = clock;
  for (int pieces = 0; pieces < 7; ++pieces) {
    Rng rng(static_cast<std::uint64_t>(pieces) + 1);
    // One player's decisions: a place and a give in every other pair of plies.
    clock.spend(budget_of(random_position_at(2 * pieces, rng), clock).time);
  }
  EXPECT_LT(clock.left, whole.left / 2);
}

TEST(Clock, MoreTimeMeansExactPlayFromEarlierOn) {
  const Position p = parse_position("..../2F.A/E9../.8B3 -");
  int last = 0;
  for (const int seconds : {1, 10, 100, 1000, 10'000}) {
    const int squares = budget_of(p, {std::chrono::seconds(seconds)}).exact_squares;
    EXPECT_GE(squares, last);
    last = squares;
  }
  EXPECT_EQ(last, 13);
  EXPECT_EQ(budget_of(p, {milliseconds(1)}).exact_squares, 7);
}

TEST(Clock, TheIncrementComesAfterADecisionInTime) {
  GameClock clock{milliseconds(100), milliseconds(50)};
  clock.spend(std::chrono::microseconds(20'001));
  EXPECT_EQ(clock.left, milliseconds(129));
  clock.spend(milliseconds(130));
  EXPECT_TRUE(clock.flag_fallen());
  EXPECT_EQ(clock.left, milliseconds(-1));
}

TEST(Clock, IsReadAndWritten) {
  EXPECT_EQ(to_string(parse_clock("60")), "60");
  EXPECT_EQ(to_string(parse_clock("1.5+0.25")), "1.5+0.25");
  for (const char* wrong : {"", "x", "1+", "+1", "-1", "0", "1+x", "1e9", "nan", "1 "})
    EXPECT_THROW(parse_clock(wrong), std::invalid_argument) << wrong;
}

// By the clock the search has no other limit here, and still ends; how soon is for machines that are not busy.
TEST(Clock, AChoiceByTheClockEnds) {
  PairsEvaluator evaluator(some_kernel());
  SharedSolver solver({.table_bytes = 1 << 20});
  for (const char* text : {"..../..../..../.... -", "0.../...F/..../.... 3", "..../2F.A/E9../.8B3 -"}) {
    const Position p = parse_position(text);
    const Choice choice =
        choose(evaluator, &solver, p, {.simulations = kMostSimulations, .clock = GameClock{milliseconds(200)}});
    EXPECT_TRUE(p.is_legal(choice.move)) << text;
    if (choice.thought) {
      EXPECT_LT(choice.thought->simulations, kMostSimulations) << text;
    }
  }
  const Position late = parse_position("..../2F.A/E9../.8B3 -");
  const GameClock hour{std::chrono::hours(1)};
  EXPECT_EQ(choose(evaluator, &solver, late, {.simulations = kMostSimulations, .clock = hour}).by, ChosenBy::exact);
}

}  // namespace
}  // namespace quarto
