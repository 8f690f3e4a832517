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
    Solver oracle({.table_bytes = std::size_t{1} << 20});
    const MoveSolution exact = oracle.solve_moves(p);
    const Move m = rollout_move(p, 600, rng);
    ++seen;
    right += exact.values[m.index] == exact.value ? 1 : 0;
  }
  EXPECT_GE(right, 59);
}

TEST(Perfect, KeepsTheValueOfEveryPosition) {
  Rng rng(5);
  PlayerOptions options;
  options.table_bytes = std::size_t{32} << 20;
  PerfectPlayer perfect(options);
  Solver solver({.table_bytes = options.table_bytes});
  for (int i = 0; i < 60; ++i) {
    const Position p = random_position_at(14 + static_cast<int>(rng.below(14)), rng);
    const Move m = perfect.choose({&p, 1}).at(0);
    const MoveSolution exact = solver.solve_moves(p);
    EXPECT_EQ(exact.values[m.index], exact.value) << to_string(p) << " " << to_string(m);
  }
}

TEST(Perfect, AnyChoosesAmongAllKeepingMoves) {
  Rng rng(6);
  PlayerOptions options;
  options.table_bytes = std::size_t{8} << 20;
  PerfectPlayer perfect(options, PerfectStyle::any);
  Solver solver({.table_bytes = options.table_bytes});
  const Position p = parse_position("..../2F.A/E9../.8B3 -");
  const MoveSolution exact = solver.solve_moves(p);
  Mask keeping = 0, chosen = 0;
  for (const int m : BitsOf(p.legal_moves())) {
    if (exact.values[static_cast<std::size_t>(m)] == exact.value) keeping |= static_cast<Mask>(1U << m);
  }
  for (int i = 0; i < 300; ++i) chosen |= static_cast<Mask>(1U << perfect.choose({&p, 1}).at(0).index);
  EXPECT_EQ(chosen, keeping);
}

// The share of the squares on which the piece in hand throws the position's value away.
double failing_share(Solver& solver, const Position& p) {
  const MoveSolution exact = solver.solve_moves(p);
  int failing = 0;
  for (const int m : BitsOf(p.legal_moves())) failing += exact.values[static_cast<std::size_t>(m)] != exact.value;
  return static_cast<double>(failing) / std::popcount(p.legal_moves());
}

TEST(Perfect, SetsTheTrapThatMostSquaresFallInto) {
  Rng rng(8);
  PlayerOptions options;
  options.table_bytes = std::size_t{8} << 20;
  PerfectPlayer perfect(options);
  Solver solver({.table_bytes = options.table_bytes});
  int telling = 0;
  for (int i = 0; i < 80; ++i) {
    const Position p = random_position_at(16 + i % 10, rng);
    if (p.has_hand() && p.winning_squares(p.hand())) continue;
    const MoveSolution exact = solver.solve_moves(p);
    std::array<double, kMoves> share{};
    double best = 0, worst = 1;
    for (const int m : BitsOf(p.legal_moves())) {
      if (exact.values[static_cast<std::size_t>(m)] != exact.value) continue;
      const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
      double& here = share[static_cast<std::size_t>(m)];
      if (next.has_hand()) {
        here = failing_share(solver, next);
      } else if (!next.is_terminal()) {
        const MoveSolution gives = solver.solve_moves(next);
        for (const int g : BitsOf(next.legal_moves())) {
          if (gives.values[static_cast<std::size_t>(g)] != gives.value) continue;
          here = std::max(here, failing_share(solver, next.after(Move::give(piece(g)))));
        }
      }
      best = std::max(best, here);
      worst = std::min(worst, here);
    }
    telling += worst < best;
    const Move chosen = perfect.choose({&p, 1}).at(0);
    EXPECT_EQ(exact.values[chosen.index], exact.value) << to_string(p);
    EXPECT_EQ(share[chosen.index], best) << to_string(p);
  }
  EXPECT_GT(telling, 30);
}

}  // namespace
}  // namespace quarto
