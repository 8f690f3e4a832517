#include "eval/player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "env/notation.h"
#include "env/one_ply.h"
#include "eval/perfect.h"
#include "eval/rollout.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& name) {
  try {
    parse_player(name);
  } catch (const PlayerError& e) {
    return e.what();
  }
  return "";
}

TEST(PlayerNames, AreTakenApart) {
  using Kind = PlayerSpec::Kind;
  EXPECT_EQ(parse_player("random").kind, Kind::random);
  EXPECT_EQ(parse_player("rollout:250").simulations, 250);
  EXPECT_EQ(parse_player("uniform@64").simulations, 64);
  EXPECT_EQ(parse_player("net:runs/a").path, "runs/a");
  EXPECT_EQ(parse_player("net:runs/a").simulations, 0);
  EXPECT_EQ(parse_player("net:runs/a@128").path, "runs/a");
  EXPECT_EQ(parse_player("net:runs/a@128").simulations, 128);
  EXPECT_EQ(parse_player("net:runs@home/a").path, "runs@home/a");
}

TEST(PlayerNames, WrongOnesAreExplained) {
  EXPECT_THAT(error_of("onepyl"), HasSubstr("did you mean 'oneply'"));
  EXPECT_THAT(error_of("perfcet"), HasSubstr("did you mean 'perfect'"));
  EXPECT_THAT(error_of("something"), HasSubstr("random, oneply, rollout:N, uniform@N, net:PATH[@N], perfect"));
  EXPECT_THAT(error_of("rollout:"), HasSubstr("whole number"));
  EXPECT_THAT(error_of("rollout:0"), HasSubstr("from 1"));
  EXPECT_THAT(error_of("uniform@x"), HasSubstr("'x'"));
  EXPECT_THAT(error_of("net:"), HasSubstr("path is missing"));
}

TEST(Players, ChooseLegalMovesOnly) {
  Rng rng(1);
  std::vector<Position> positions;
  for (int i = 0; i < 60; ++i) positions.push_back(random_position_at(10 + static_cast<int>(rng.below(18)), rng));
  PlayerOptions options;
  options.table_bytes = std::size_t{16} << 20;
  options.threads = 2;
  for (const char* name : {"random", "oneply", "rollout:20", "uniform@20"}) {
    const auto moves = make_player(name, options)->choose(positions);
    ASSERT_EQ(moves.size(), positions.size());
    for (std::size_t i = 0; i < moves.size(); ++i) EXPECT_TRUE(positions[i].is_legal(moves[i])) << name;
  }
}

TEST(Players, TheSameSeedChoosesTheSameMovesOnAnyNumberOfThreads) {
  Rng rng(2);
  std::vector<Position> positions;
  for (int i = 0; i < 40; ++i) positions.push_back(random_position(rng));
  for (const char* name : {"random", "oneply", "rollout:30", "uniform@30"}) {
    PlayerOptions options;
    options.seed = 5;
    const auto first = make_player(name, options)->choose(positions);
    options.threads = 3;
    EXPECT_EQ(make_player(name, options)->choose(positions), first) << name;
  }
}

TEST(Rollouts, FindTheMovesThatASmallSearchCanSee) {
  Rng rng(4);
  int right = 0, seen = 0;
  while (seen < 60) {
    const Position p = random_position_at(26, rng);
    PerfectPlayer oracle({.table_bytes = std::size_t{1} << 20});
    const Value value = oracle.value(p);
    const Move m = rollout_move(p, 600, rng);
    ++seen;
    right += -oracle.value(p.after(m)) == value ? 1 : 0;
  }
  EXPECT_GE(right, 59);
}

TEST(Perfect, KeepsTheValueOfEveryPosition) {
  Rng rng(5);
  PlayerOptions options;
  options.table_bytes = std::size_t{32} << 20;
  PerfectPlayer perfect(options);
  Solver solver({options.table_bytes, 1});
  for (int i = 0; i < 60; ++i) {
    const Position p = random_position_at(14 + static_cast<int>(rng.below(14)), rng);
    const Move m = perfect.choose({&p, 1}).at(0);
    const MoveSolution exact = solver.solve_moves(p);
    EXPECT_EQ(exact.values[m.index], exact.value) << to_string(p) << " " << to_string(m);
  }
}

TEST(Perfect, ChoosesAmongAllKeepingMoves) {
  Rng rng(6);
  PlayerOptions options;
  options.table_bytes = std::size_t{8} << 20;
  PerfectPlayer perfect(options);
  Solver solver({options.table_bytes, 1});
  const Position p = parse_position("..../2F.A/E9../.8B3 -");
  const MoveSolution exact = solver.solve_moves(p);
  Mask keeping = 0, chosen = 0;
  for (const int m : BitsOf(p.legal_moves())) {
    if (exact.values[static_cast<std::size_t>(m)] == exact.value) keeping |= static_cast<Mask>(1U << m);
  }
  for (int i = 0; i < 300; ++i) chosen |= static_cast<Mask>(1U << perfect.choose({&p, 1}).at(0).index);
  EXPECT_EQ(chosen, keeping);
}

TEST(Perfect, SolvesNothingWhereTheDrawIsKnown) {
  Position p;
  EXPECT_TRUE(drawn_by_known_facts(p));
  p.give(piece(0));
  p.place(square(0));
  p.give(piece(1));
  p.place(square(1));
  p.give(piece(2));
  EXPECT_TRUE(drawn_by_known_facts(p));  // two down: placing makes three
  p.place(square(6));
  EXPECT_TRUE(drawn_by_known_facts(p));
  p.give(piece(4));
  EXPECT_FALSE(drawn_by_known_facts(p));  // placing makes four
  EXPECT_FALSE(drawn_by_known_facts(Position(Rules::squares)));
}

}  // namespace
}  // namespace quarto
