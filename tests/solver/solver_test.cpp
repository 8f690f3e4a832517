#include "solver/solver.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>

#include "data/suite.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/symmetry.h"
#include "tests/support/message_of.h"
#include "tests/support/random_positions.h"
#include "tests/support/reference.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

using std::chrono::milliseconds;

SolverOptions small_table(int threads = 1) { return {.table_bytes = std::size_t{4} << 20, .threads = threads}; }
// Keeps even the smallest boards in the table, so that trimming, naming and ordering are at work in them too.
SolverOptions everything_in_table() { return {.table_bytes = std::size_t{4} << 20, .ideas = {.table_from = 2}}; }

// A position with this many empty squares; random play, careless now and then, so that boards with threats occur.
Position random_ending(int empty, bool hand, Rng& rng, Rules rules) {
  while (true) {
    Position p(rules);
    while (!p.is_terminal() && p.ply() < 2 * (kSquares - empty) + (hand ? 1 : 0)) {
      Mask moves = p.legal_moves();
      const Mask bad = p.has_hand() ? p.winning_squares(p.hand()) : p.losing_gives();
      const bool careful = p.has_hand() || rng.below(8) != 0;
      if (careful && (moves & ~bad)) moves = static_cast<Mask>(moves & ~bad);
      p.play({p.phase(), static_cast<std::uint8_t>(random_bit(moves, rng))});
    }
    if (!p.is_terminal()) return p;
  }
}

// How the differential tests spread their positions: the slow solver's time grows about tenfold per empty square.
struct Share {
  int empty, count;
};
constexpr std::array<Share, 8> kShares = {{{1, 50}, {2, 300}, {3, 500}, {4, 500}, {5, 500}, {6, 300}, {7, 30}, {8, 1}}};

class EitherRules : public testing::TestWithParam<Rules> {};
INSTANTIATE_TEST_SUITE_P(Solver, EitherRules, testing::Values(Rules::lines, Rules::squares),
                         [](const auto& rules) { return to_string(rules.param); });

TEST_P(EitherRules, AgreesWithTheSlowSolverOnEveryMove) {
  Rng rng(1);
  Solver solver(small_table()), tabled(everything_in_table());
  std::array<int, 3> seen{};
  for (const Share share : kShares) {
    for (int i = 0; i < 2 * share.count; ++i) {
      const Position p = random_ending(share.empty, i % 2 == 1, rng, GetParam());
      const auto expected = reference::move_values(p);
      const MoveSolution found = solver.solve_moves(p);
      ASSERT_EQ(found.values, expected) << to_string(p);
      ASSERT_EQ(tabled.solve_moves(p).values, expected) << to_string(p);
      ASSERT_TRUE(found.value.has_value());
      if (share.empty <= 6) {
        ASSERT_EQ(*found.value, reference::value(p)) << to_string(p);
      }
      ASSERT_EQ(solver.solve(p).value, found.value) << to_string(p);
      ASSERT_EQ(tabled.solve(p).value, found.value) << to_string(p);
      ++seen[static_cast<std::size_t>(static_cast<int>(*found.value) + 1)];
    }
  }
  for (const int n : seen) EXPECT_GT(n, 60) << "all three values should be well represented";
}

// Bigger boards than the slow solver can do: values must at least agree with those one move on.
TEST_P(EitherRules, ValuesOfBiggerBoardsFollowFromThoseOneMoveOn) {
  Rng rng(2);
  Solver solver(small_table()), fresh(small_table());
  for (int i = 0; i < repeated(60); ++i) {
    const Position p = random_ending(8 + i % 3, i % 2 == 0, rng, GetParam());
    const MoveSolution found = solver.solve_moves(p);
    std::optional<Value> best;
    for (const int m : BitsOf(p.legal_moves())) {
      const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
      fresh.clear();
      const auto after = fresh.solve(next).value;
      ASSERT_TRUE(after.has_value());
      const Value v = p.has_hand() ? *after : -*after;
      ASSERT_EQ(found.values[static_cast<std::size_t>(m)], v) << to_string(p) << " move " << m;
      if (!best || v > *best) best = v;
    }
    ASSERT_EQ(found.value, best) << to_string(p);
    ASSERT_EQ(solver.solve(p).value, best) << to_string(p);
  }
}

TEST_P(EitherRules, ATinyTableChangesNoValue) {
  Rng rng(3);
  Solver tiny({.table_bytes = 64}), roomy(small_table());
  for (int i = 0; i < 40; ++i) {
    const Position p = random_ending(10, i % 2 == 0, rng, GetParam());
    ASSERT_EQ(tiny.solve_moves(p).values, roomy.solve_moves(p).values) << to_string(p);
  }
  EXPECT_GT(tiny.table_use().fill, 0);
}

TEST_P(EitherRules, ThreadsChangeNoValue) {
  Rng rng(4);
  Solver one(small_table()), three(small_table(3));
  for (int i = 0; i < 15; ++i) {
    const Position p = random_ending(10, i % 2 == 0, rng, GetParam());
    ASSERT_EQ(three.solve_moves(p).values, one.solve_moves(p).values) << to_string(p);
    ASSERT_EQ(three.solve(p).value, one.solve(p).value) << to_string(p);
  }
}

TEST(SolverSymmetry, AllImagesOfAPositionHaveItsValueAndItsMoves) {
  const Position p = parse_position("..A./7..1/..E./..42 9");
  Solver solver(small_table());
  const MoveSolution original = solver.solve_moves(p);
  std::set<std::optional<Value>> values;
  for (const int m : BitsOf(p.legal_moves())) values.insert(original.values[static_cast<std::size_t>(m)]);
  ASSERT_GT(values.size(), 1U) << "a position whose moves all have one value shows little";
  for (int g = 0; g < kSymmetriesLines; g += kStride) {
    const Position image = apply(symmetry(g), p);
    if (g % 64 == 0) solver.clear();
    const MoveSolution found = solver.solve_moves(image);
    ASSERT_EQ(found.value, original.value) << to_string(image);
    for (const int m : BitsOf(p.legal_moves())) {
      const Move moved = apply(symmetry(g), Move{p.phase(), static_cast<std::uint8_t>(m)}, p.rules());
      ASSERT_EQ(found.values[moved.index], original.values[static_cast<std::size_t>(m)]) << to_string(image);
    }
  }
}

TEST(SolverValue, FinishedGamesHaveTheirValueAndNoMoves) {
  Solver solver(small_table());
  const Position won = parse_position("1357/..../..../.0.. -");
  EXPECT_EQ(solver.solve(won).value, Value::win);
  const MoveSolution moves = solver.solve_moves(won);
  EXPECT_EQ(moves.value, Value::win);
  for (const auto& v : moves.values) EXPECT_FALSE(v.has_value());
  Rng rng(8);
  const Position last = random_ending(1, true, rng, Rules::lines);
  const Position full = last.after(Move::place(square(random_bit(last.empty(), rng))));
  EXPECT_EQ(solver.solve(full).value, full.terminal_value());
}

TEST(SolverValue, ManyPositionsAtOnceHaveTheValuesOfEachAlone) {
  Rng rng(11);
  Solver one(small_table()), all(small_table(2));
  std::vector<Position> positions;
  for (int i = 0; i < 30; ++i) {
    positions.push_back(random_ending(5, i % 2 == 0, rng, Rules::squares));
    Position& p = positions.back();
    while (i % 5 == 0 && !p.is_terminal()) p.play(random_move(p, rng));  // some are over
  }
  const auto values = all.solve_all(positions);
  const auto moves = all.solve_moves_of_all(positions);
  ASSERT_EQ(values.size(), positions.size());
  ASSERT_EQ(moves.size(), positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    EXPECT_EQ(values[i], one.solve(positions[i]).value) << to_string(positions[i]);
    EXPECT_EQ(moves[i].values, one.solve_moves(positions[i]).values);
    EXPECT_EQ(moves[i].value, values[i]);
  }
  EXPECT_TRUE(all.solve_all({}).empty());
}

TEST(SolverValue, PositionsOfTwoRuleSetsAtOnceAreRefused) {
  Rng rng(12);
  Solver solver(small_table());
  const std::vector<Position> positions = {random_ending(4, true, rng, Rules::lines),
                                           random_ending(4, true, rng, Rules::squares)};
  EXPECT_THROW(solver.solve_all(positions), SolverError);
  EXPECT_THROW(solver.solve_moves_of_all(positions), SolverError);
  EXPECT_TRUE(solver.solve(positions[1]).value) << "it goes on";
}

TEST(SolverValue, TheFirstKeepingMoveIsTheFirstOfTheBest) {
  Rng rng(13);
  Solver solver(small_table());
  for (int i = 0; i < 100; ++i) {
    const Position p = random_ending(5, i % 2 == 0, rng, Rules::lines);
    const MoveSolution solution = solver.solve_moves(p);
    const auto first = first_keeping_move(p, solution);
    ASSERT_TRUE(first);
    EXPECT_EQ(solution.values[first->index], solution.value);
    for (const Move m : p.moves()) EXPECT_TRUE(m.index >= first->index || solution.values[m.index] < solution.value);
  }
  const Position won = parse_position("1357/..../..../.0.. -");
  EXPECT_FALSE(first_keeping_move(won, solver.solve_moves(won)));
  EXPECT_FALSE(first_keeping_move(Position(), {})) << "nothing is known";
}

TEST(SolverTable, MovesWithItsSolver) {
  Rng rng(14);
  const Position p = random_ending(11, true, rng, Rules::lines);
  Solver first(small_table());
  const Solution found = first.solve(p);
  ASSERT_GT(found.stats.nodes, 0U);
  Solver second(std::move(first));
  EXPECT_EQ(second.solve(p).value, found.value);
  EXPECT_LT(second.solve(p).stats.nodes, found.stats.nodes);
  Solver third({.table_bytes = 64});
  third = std::move(second);
  EXPECT_LT(third.solve(p).stats.nodes, found.stats.nodes);
  EXPECT_GT(third.table_use().fill, 0);
  third.clear();
  EXPECT_EQ(third.table_use().fill, 0);
}

TEST(SolverProgress, CountsNodesAndPositionsThatAreSolved) {
  Rng rng(15);
  Solver solver(small_table());
  std::vector<Position> positions;
  for (int i = 0; i < 20; ++i) positions.push_back(random_ending(8, true, rng, Rules::lines));
  SolveProgress progress;
  SolveLimits limits;
  limits.progress = &progress;
  solver.solve_all(positions, limits);
  EXPECT_EQ(progress.positions, positions.size());
  EXPECT_GT(progress.nodes, 0U);
}

TEST(SolverLimits, TimeEndsASearchWithoutAValue) {
  for (const int threads : {1, 2}) {
    Solver solver(small_table(threads));
    EXPECT_FALSE(solver.solve(Position(), {milliseconds(50)}).value.has_value());
    const MoveSolution moves = solver.solve_moves(Position(), {milliseconds(50)});
    EXPECT_FALSE(moves.value.has_value());
    for (const auto& v : moves.values) EXPECT_FALSE(v.has_value());
  }
}

TEST(SolverLimits, AFlagEndsASearch) {
  Solver solver(small_table());
  std::atomic<bool> stop = false;
  std::jthread setter([&stop] {
    std::this_thread::sleep_for(milliseconds(30));
    stop = true;
  });
  EXPECT_FALSE(solver.solve(Position(), {milliseconds(0), &stop}).value.has_value());
}

TEST(SolverLimits, AMoveThatWinsAtOnceIsTheValueWithoutASearch) {
  Solver solver(small_table());
  const Position p = parse_position("135./284./6..A/.C.. 7");
  const std::atomic<bool> stop = true;
  const MoveSolution moves = solver.solve_moves(p, {milliseconds(0), &stop});
  EXPECT_EQ(moves.value, Value::win);
  EXPECT_EQ(moves.values[3], Value::win);
  for (const int m : BitsOf(static_cast<Mask>(p.legal_moves() & ~p.winning_squares(p.hand()))))
    EXPECT_FALSE(moves.values[static_cast<std::size_t>(m)]) << m;
}

TEST(SolverLimits, WhatWasFoundBeforeAStopIsRight) {
  Rng rng(9);
  int stopped = 0, found = 0;
  // How far a millisecond leads depends on the machine.
  for (int i = 0; i < 10 || ((stopped == 0 || found == 0) && i < 1000); ++i) {
    const Position p = random_ending(10, i % 2 == 0, rng, Rules::lines);
    Solver interrupted(small_table()), undisturbed(small_table());
    const MoveSolution partial = interrupted.solve_moves(p, {milliseconds(1 + i / 10)});
    const MoveSolution complete = undisturbed.solve_moves(p);
    int known = 0;
    for (std::size_t m = 0; m < kMoves; ++m) {
      if (partial.values[m]) {
        ++known;
        ASSERT_EQ(partial.values[m], complete.values[m]) << to_string(p);
      }
    }
    const bool ended_early = partial.values != complete.values;
    stopped += ended_early;
    found += ended_early && known > 0;
    if (partial.value) {
      ASSERT_EQ(partial.value, complete.value);
    }
    ASSERT_EQ(interrupted.solve_moves(p).values, complete.values) << "after the stop, on the same table";
  }
  EXPECT_GT(stopped, 0);
  EXPECT_GT(found, 0) << "values that were found before a stop";
}

TEST(SolverOptionsTest, ImpossibleOnesAreRefused) {
  EXPECT_THROW(Solver({.threads = 0}), SolverError);
  EXPECT_THROW(Solver({.ideas = {.table_from = 1}}), SolverError);
  EXPECT_THROW(Solver({.ideas = {.table_from = 10}}), SolverError);
  EXPECT_EQ(message_of<SolverError>([] {
              Solver({.table_bytes = std::size_t{1} << 60});
            }).find("a table of 1099511627776 MB does not fit: "),
            0U);
}

// Every n-th position of the suites; `quartozero solve --suite` checks them all.
TEST(SolverSuites, EveryValueOfASampleIsRight) {
  Solver solver({.table_bytes = std::size_t{64} << 20});
  for (const char* name : {"all", "decisive", "deep"}) {
    const Suite suite = read_suite(std::string(QUARTOZERO_SOURCE_DIR) + "/eval/suites/" + name + ".tsv");
    EXPECT_EQ(suite.name, name);
    int checked = 0;
    for (std::size_t i = 0; i < suite.entries.size(); ++i) {
      const SuiteEntry& entry = suite.entries[i];
      if (entry.position.pieces_on_board() < 6 || i % 7 != 0) continue;
      const MoveSolution found = solver.solve_moves(entry.position);
      ASSERT_EQ(found.value, entry.value) << to_string(entry.position);
      ASSERT_EQ(found.values, entry.moves) << to_string(entry.position);
      ++checked;
    }
    EXPECT_GT(checked, 90);
  }
}

}  // namespace
}  // namespace quarto
