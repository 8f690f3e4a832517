// The one rule by which networks' players choose: exact, else search, else the raw network.
#include "play/choose.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "env/canonical.h"
#include "env/notation.h"
#include "env/symmetry.h"
#include "light/evaluator.h"
#include "play/light_player.h"
#include "play/player.h"
#include "tests/play/some_network.h"

namespace quarto {
namespace {

class Choosing : public testing::Test {
 protected:
  PairsEvaluator evaluator_{some_kernel()};
  SharedSolver solver_{{.table_bytes = 1 << 20}};
};

TEST_F(Choosing, ManyPositionsGetTheMovesThatEachGetsAlone) {
  const std::vector<Position> positions = unfinished_positions(60, Rules::lines, 11);
  for (const int simulations : {0, 24}) {
    const std::vector<Move> all = choose_all(
        evaluator_, &solver_, positions, {.simulations = simulations, .exact_squares = 7, .threads = 2, .batch = 8});
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Choice one = choose(evaluator_, &solver_, positions[i], {.simulations = simulations, .exact_squares = 7});
      EXPECT_EQ(all[i], one.move) << to_string(positions[i]);
      const bool late = std::popcount(positions[i].empty()) <= 7;
      EXPECT_EQ(one.by, late ? ChosenBy::exact : simulations > 0 ? ChosenBy::search : ChosenBy::network);
    }
  }
}

TEST_F(Choosing, AnEndgamePlayerFollowsTheSameRule) {
  PlayerOptions options;
  options.table_bytes = 1 << 20;
  const auto endgame = make_player("endgame:8:uniform@16", options);
  const auto sharp = make_player("endgame:8,sharp:uniform@16", options);
  UniformEvaluator uniform;
  for (const Position& p : unfinished_positions(80, Rules::lines, 12)) {
    EXPECT_EQ(endgame->choose({&p, 1}).front(),
              choose(uniform, &solver_, p, {.simulations = 16, .exact_squares = 8}).move)
        << to_string(p);
    EXPECT_EQ(sharp->choose({&p, 1}).front(),
              choose(uniform, &solver_, p, {.simulations = 16, .exact_squares = 8, .sharp = true}).move)
        << to_string(p);
  }
}

TEST_F(Choosing, ExactPlayKeepsTheValueAndSaysIt) {
  Solver reference({.table_bytes = 1 << 20});
  int decisive = 0;
  for (const Position& p : unfinished_positions(300, Rules::lines, 13)) {
    if (std::popcount(p.empty()) > 8) continue;
    const MoveSolution expected = reference.solve_moves(p);
    const Choice choice = choose(evaluator_, &solver_, p, {.exact_squares = 8});
    EXPECT_EQ(choice.proven, expected.value);
    EXPECT_EQ(choice.exact->values, expected.values) << to_string(p);
    EXPECT_EQ(expected.values[choice.move.index], expected.value);
    for (const int m : BitsOf(p.legal_moves()))
      decisive += expected.values[static_cast<std::size_t>(m)] != expected.value;
  }
  EXPECT_GT(decisive, 100);
}

TEST_F(Choosing, SharpPlayWinsSoonestAndLosesLast) {
  Solver reference({.table_bytes = 1 << 20});
  std::array<int, 2> better{};  // of losses and wins: where it makes a difference
  for (const Position& p : unfinished_positions(300, Rules::lines, 16)) {
    if (std::popcount(p.empty()) > 8) continue;
    const Choice choice = choose(evaluator_, &solver_, p, {.exact_squares = 8, .sharp = true});
    const Choice plain = choose(evaluator_, &solver_, p, {.exact_squares = 8});
    const MoveSolution solution = reference.solve_moves(p);
    EXPECT_EQ(solution.values[choice.move.index], solution.value) << to_string(p);
    if (solution.value == Value::draw) continue;
    const MoveDistances distances = reference.distances(p, solution);
    EXPECT_EQ(distances.placements[choice.move.index], distances.best) << to_string(p);
    better[solution.value == Value::win ? 1 : 0] += distances.placements[plain.move.index] != distances.best;
  }
  EXPECT_GT(better[0], 0);
  EXPECT_GT(better[1], 0);
}

// The most squares on which the opponent, asked next, loses: for a placement, after the best give that keeps the draw.
int traps_after(Solver& solver, const Position& p, Move m) {
  const Position next = p.after(m);
  if (next.is_terminal()) return 0;
  const MoveSolution solution = solver.solve_moves(next);
  if (next.has_hand()) return static_cast<int>(std::count(solution.values.begin(), solution.values.end(), Value::loss));
  int most = 0;
  for (const Move give : next.moves()) {
    if (solution.values[give.index] == Value::draw) most = std::max(most, traps_after(solver, next, give));
  }
  return most;
}

TEST_F(Choosing, SharpPlayLeavesTheMostRepliesThatLoseADraw) {
  Solver reference({.table_bytes = 1 << 20});
  int better = 0;
  for (const Position& p : unfinished_positions(200, Rules::lines, 17)) {
    if (std::popcount(p.empty()) > 8 || reference.solve(p).value != Value::draw) continue;
    const Choice choice = choose(evaluator_, &solver_, p, {.exact_squares = 8, .sharp = true});
    const MoveSolution solution = reference.solve_moves(p);
    int most = 0;
    for (const Move m : p.moves()) {
      if (solution.values[m.index] == Value::draw) most = std::max(most, traps_after(reference, p, m));
    }
    EXPECT_EQ(solution.values[choice.move.index], Value::draw);
    EXPECT_EQ(traps_after(reference, p, choice.move), most) << to_string(p);
    better += traps_after(reference, p, choose(evaluator_, &solver_, p, {.exact_squares = 8}).move) < most;
  }
  EXPECT_GT(better, 0);
}

// A stopped choice is that of exact play without it, or in a lost position one that also keeps the value.
TEST_F(Choosing, SharpPlayThatIsStoppedKeepsTheValue) {
  const std::atomic<bool> stop = true;
  std::array<int, 3> stopped{};
  for (const Position& p : unfinished_positions(300, Rules::lines, 18)) {
    const int empty = std::popcount(p.empty());
    if (empty < 7 || empty > 10) continue;
    SharedSolver fresh({.table_bytes = 1 << 20});
    const MoveSolution known = solver_.solve_moves(p);
    ChoiceLimits limits{.exact_squares = 10, .known = &known, .stop = &stop};
    const Choice plain = choose(evaluator_, &fresh, p, limits);
    limits.sharp = true;
    const Choice choice = choose(evaluator_, &fresh, p, limits);
    EXPECT_EQ(choice.by, ChosenBy::exact);
    EXPECT_EQ(known.values[choice.move.index], known.value) << to_string(p);
    if (choice.sharp_complete) continue;
    ++stopped[static_cast<std::size_t>(static_cast<int>(*known.value) + 1)];
    if (known.value != Value::loss) {
      EXPECT_EQ(choice.move, plain.move) << to_string(p);
    }
  }
  for (const int n : stopped) EXPECT_GT(n, 0) << "the limits must have ended some";
}

// The traps of this draw take a hundred times a millisecond.
TEST_F(Choosing, SharpPlayKeepsToItsTime) {
  const Position p = parse_position(".97./..../1..D/...2 F");
  SharedSolver large({.table_bytes = std::size_t{16} << 20}), fresh({.table_bytes = std::size_t{16} << 20});
  const MoveSolution known = large.solve_moves(p);
  ASSERT_EQ(known.value, Value::draw);
  ChoiceLimits limits{.exact_squares = 11, .sharp = true, .exact_time = std::chrono::milliseconds(1), .known = &known};
  const Choice choice = choose(evaluator_, &fresh, p, limits);
  EXPECT_FALSE(choice.sharp_complete);
  EXPECT_EQ(known.values[choice.move.index], Value::draw);
  limits.exact_time = {};
  EXPECT_TRUE(choose(evaluator_, &fresh, p, limits).sharp_complete);
}

TEST_F(Choosing, ImagesOfAPositionGetImagesOfTheMove) {
  Rng rng(5);
  for (const ChoiceLimits& limits : {ChoiceLimits{}, ChoiceLimits{.simulations = 16}, ChoiceLimits{.exact_squares = 9},
                                     ChoiceLimits{.exact_squares = 9, .sharp = true}}) {
    for (const Position& p : unfinished_positions(30, Rules::lines, 14)) {
      const Symmetry g = symmetry(static_cast<int>(rng.below(kSymmetriesLines)));
      const Position image = apply(g, p);
      EXPECT_EQ(canonical_key(p.after(choose(evaluator_, &solver_, p, limits).move)),
                canonical_key(image.after(choose(evaluator_, &solver_, image, limits).move)))
          << to_string(p);
    }
  }
}

// The solver needs far longer than a millisecond here: two pieces are down.
TEST_F(Choosing, TheSearchTakesOverWhenTheSolverDoesNotEndInTime) {
  const Position p = parse_position("0.../...F/..../.... 3");
  const Choice choice = choose(evaluator_, &solver_, p,
                               {.simulations = 10, .exact_squares = 16, .exact_time = std::chrono::milliseconds(1)});
  EXPECT_EQ(choice.by, ChosenBy::search);
  ASSERT_TRUE(choice.exact && choice.thought);
  EXPECT_FALSE(choice.exact->value);
  EXPECT_TRUE(p.is_legal(choice.move));
}

// What a page has found out in slices is used, and the solver is not asked again.
TEST_F(Choosing, KnownValuesDecideAlsoWhenTheyAreIncomplete) {
  const Position p = parse_position("0.../...F/..../.... 3");
  const Move first = choose(evaluator_, nullptr, p, {.simulations = 16}).move;
  MoveSolution known;
  known.values[first.index] = Value::loss;
  Choice choice = choose(evaluator_, nullptr, p, {.simulations = 16, .exact_squares = 16, .known = &known});
  EXPECT_EQ(choice.by, ChosenBy::search);
  EXPECT_NE(choice.move, first);
  EXPECT_EQ(choice.thought->best, choice.move);
  EXPECT_THAT(choice.thought->line, testing::ElementsAre(choice.move));

  const Move other = choice.move;
  known.values[other.index] = known.value.emplace(Value::win);
  choice = choose(evaluator_, nullptr, p, {.simulations = 16, .exact_squares = 16, .known = &known});
  EXPECT_EQ(choice.by, ChosenBy::exact);
  EXPECT_EQ(choice.move, other);
  EXPECT_EQ(choice.proven, Value::win);
}

TEST_F(Choosing, AStopEndsItWithAMove) {
  const std::atomic<bool> stop = true;
  const Position p = parse_position("0.../...F/..../.... 3");
  const Choice choice =
      choose(evaluator_, &solver_, p, {.simulations = kMostSimulations, .exact_squares = 16, .stop = &stop});
  EXPECT_TRUE(p.is_legal(choice.move));
}

TEST_F(Choosing, WithoutASolverNothingIsExactAndNonsenseIsRefused) {
  EXPECT_THROW(choose(evaluator_, &solver_, parse_position("0123/..../..../.... -"), {}), std::invalid_argument);
  EXPECT_THROW(choose(evaluator_, &solver_, Position(), {.exact_squares = 17}), std::invalid_argument);
  EXPECT_EQ(choose(evaluator_, nullptr, parse_position("..../2F.A/E9../.8B3 -"), {.exact_squares = 16}).by,
            ChosenBy::network);
}

TEST_F(Choosing, SeveralThreadsShareOneSolver) {
  const std::vector<Position> positions = unfinished_positions(40, Rules::lines, 15);
  std::vector<Move> expected;
  for (const Position& p : positions) expected.push_back(choose(evaluator_, &solver_, p, {.exact_squares = 8}).move);
  SharedSolver shared({.table_bytes = 1 << 20});
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < positions.size(); ++i)
        EXPECT_EQ(choose(evaluator_, &shared, positions[i], {.exact_squares = 8}).move, expected[i]);
    });
  }
}

}  // namespace
}  // namespace quarto
