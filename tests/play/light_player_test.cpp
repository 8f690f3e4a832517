// The player as another program has it.
#include "play/light_player.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "env/notation.h"
#include "light/load.h"
#include "solver/book.h"
#include "tests/play/some_network.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

class EmbeddedPlayer : public testing::Test {
 protected:
  void SetUp() override { write_file_atomic(file(), some_network_file()); }
  std::filesystem::path file() const { return dir_ / "some.light"; }
  TemporaryDirectory dir_;
};

TEST_F(EmbeddedPlayer, AFolderWithoutTheFileSaysHowToMakeIt) {
  EXPECT_THAT([&] { load_light_network(dir_.path()); },
              testing::ThrowsMessage<FileError>(testing::HasSubstr("export " + dir_.path().string() + " --light")));
}

TEST_F(EmbeddedPlayer, PlaysWholeGames) {
  for (const int simulations : {0, 16}) {
    LightPlayer player = LightPlayer::load(file(), {.simulations = simulations, .exact_squares = 6});
    Position p;
    while (!p.is_terminal()) {
      const Move m = player.choose(p);
      ASSERT_TRUE(p.is_legal(m)) << to_string(p);
      p.play(m);
    }
  }
}

TEST_F(EmbeddedPlayer, ChoosesWhatThinkingWithItsSimulationsDoes) {
  LightPlayer player = LightPlayer::load(file(), {.simulations = 24});
  for (const Position& p : unfinished_positions(20, Rules::lines, 6)) {
    EXPECT_EQ(player.choose(p), player.think(p, {.simulations = 24}).best);
  }
}

TEST_F(EmbeddedPlayer, KeepsTheExactValueInTheEndgame) {
  LightPlayer player = LightPlayer::load(file(), {.exact_squares = 9});
  Solver solver({.table_bytes = 1 << 20});
  int decisive = 0;
  for (const Position& p : unfinished_positions(300, Rules::lines, 7)) {
    if (std::popcount(p.empty()) > 9) continue;
    const MoveSolution exact = solver.solve_moves(p);
    EXPECT_EQ(exact.values[player.choose(p).index], exact.value) << to_string(p);
    for (const int m : BitsOf(p.legal_moves())) decisive += exact.values[static_cast<std::size_t>(m)] != exact.value;
  }
  EXPECT_GT(decisive, 100);
}

TEST_F(EmbeddedPlayer, SolvesWithinLimitsAndByTheBook) {
  LightPlayer player = LightPlayer::load(file());
  const MoveSolution cut = player.solve(Position(), {.time = std::chrono::milliseconds(1)});
  EXPECT_FALSE(cut.value);
  LightPlayer reader = LightPlayer::load(file(), {.books = Books::shipped()});
  EXPECT_EQ(reader.solve(Position()).value, Value::draw);
}

TEST_F(EmbeddedPlayer, EvaluatesManyAsItDoesOne) {
  LightPlayer player = LightPlayer::load(file());
  const std::vector<Position> positions = unfinished_positions(30, Rules::lines, 8);
  const std::vector<Evaluation> all = player.evaluate(positions);
  for (std::size_t i = 0; i < positions.size(); ++i) EXPECT_EQ(all[i].prior, player.evaluate(positions[i]).prior);
}

TEST_F(EmbeddedPlayer, RefusesOtherRulesFinishedGamesAndImpossibleOptions) {
  LightPlayer player = LightPlayer::load(file());
  EXPECT_THROW(player.choose(Position(Rules::squares)), std::invalid_argument);
  EXPECT_THROW(player.choose(parse_position("0123/..../..../.... -")), std::invalid_argument);
  EXPECT_THROW(player.evaluate(parse_position("0123/..../..../.... -")), std::invalid_argument);
  EXPECT_THROW(LightPlayer::load(file(), {.simulations = -1}), std::invalid_argument);
  EXPECT_THROW(LightPlayer::load(file(), {.exact_squares = 17}), std::invalid_argument);
  EXPECT_THROW(LightPlayer::load(dir_ / "absent.light"), FileError);
}

TEST_F(EmbeddedPlayer, MovesWithoutLosingAnything) {
  LightPlayer a = LightPlayer::load(file(), {.simulations = 8});
  const Move before = a.choose(Position());
  LightPlayer b = std::move(a);
  EXPECT_EQ(b.choose(Position()), before);
  EXPECT_EQ(b.info().shape.width, 16);
}

}  // namespace
}  // namespace quarto
