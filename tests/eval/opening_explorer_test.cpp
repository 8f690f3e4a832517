#include "eval/opening_explorer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "env/notation.h"
#include "env/random_play.h"

namespace quarto {
namespace {

std::vector<PlayedGame> games(const std::string& text) { return parse_games(text, "games", Rules::lines); }

Position after(const std::string& game) {
  Position position;
  for (const Move m : parse_game(game)) position = position.after(m);
  return position;
}

TEST(OpeningStatistics, CountsAMoveInEveryImageAndOncePerGame) {
  OpeningStatistics statistics;
  // The first pieces are images of each other, and so are the corners.
  statistics.add(games("1\tA\t0 a1 1 b2\n"
                       "1/2\tA\t7 d4 6 c3\n"
                       "0\tB\t5 b1 2 c1\n"
                       "3 a4\n"),
                 Rules::lines);
  const Position empty, given = after("0"), corner = after("0 a1");
  EXPECT_EQ(statistics.of_move(empty, given).games, 4U);
  EXPECT_EQ(statistics.of_move(empty, given).scored, 3U);
  EXPECT_EQ(statistics.of_move(empty, given).points, 1 + 0.5 + 1);  // of who gave first, in the third B
  EXPECT_EQ(statistics.of_move(given, corner).games, 3U);
  EXPECT_EQ(statistics.of_move(given, corner).points, 0 + 0.5);  // of who placed
  EXPECT_EQ(statistics.of_move(given, after("0 b1")).games, 1U);
  EXPECT_EQ(statistics.of_move(corner, after("0 a1 F")).games, 0U);
}

TEST(OpeningStatistics, AFinishedGameWithoutPointsHasThoseOfItsEnd) {
  OpeningStatistics statistics;
  statistics.add(games("0 a1 1 b1 2 c1 3 d1\n"), Rules::lines);  // the one who places the fourth piece wins
  const Position empty, given = after("0");
  EXPECT_EQ(statistics.of_move(empty, given).points, 1);
  EXPECT_EQ(statistics.of_move(given, after("0 a1")).points, 0);
}

TEST(OpeningStatistics, CountsPositionsOfSuites) {
  OpeningStatistics statistics;
  Suite suite{"some", {}};
  suite.entries.push_back({after("0 a1 7"), Value::draw, {}, 1});
  suite.entries.push_back({after("F d4 8"), Value::draw, {}, 2});
  suite.entries.push_back({after("0 a1 1"), Value::draw, {}, 3});
  statistics.add(suite);
  EXPECT_EQ(statistics.suite_positions(after("0 a1 7")), 2U);
  EXPECT_EQ(statistics.suite_positions(after("1 a4 0")), 1U);
  EXPECT_EQ(statistics.suite_positions(after("0 a1 3")), 0U);
}

// Against all images of each move, and the values of the solver.
TEST(Explore, HasEveryMoveOnceWithItsValue) {
  Solver solver;
  OpeningStatistics statistics;
  Rng rng(5);
  for (int n = 0; n < 40; ++n) {
    const Rules rules = n % 2 == 0 ? Rules::lines : Rules::squares;
    const Position position = random_position_at(16 + n % 12, rng, rules);
    const MoveSolution solution = solver.solve_moves(position);
    Mask seen = 0;
    int before = 2;
    for (const ExploredMove& m : explore(position, statistics, solver, {})) {
      ASSERT_TRUE(m.value);
      EXPECT_LE(static_cast<int>(*m.value), before);
      before = static_cast<int>(*m.value);
      for (const Move move : m.moves) {
        EXPECT_EQ(seen >> move.index & 1, 0U);
        seen = static_cast<Mask>(seen | 1U << move.index);
        EXPECT_EQ(solution.values[move.index], m.value);
        EXPECT_EQ(canonical_key(position.after(move)), canonical_key(position.after(m.moves[0])));
      }
    }
    EXPECT_EQ(seen, position.legal_moves());
  }
  EXPECT_TRUE(explore(after("0 a1 1 b1 2 c1 3 d1"), statistics, solver, {}).empty());
}

TEST(Explore, PutsWhatIsPlayedMoreFirstAmongEqualMoves) {
  Solver solver;
  const std::string game = "0 a1 7 b2 9 c4 2 d2 5 a4 E b1 B d3 3";
  const Position position = after(game);
  const auto before = explore(position, {}, solver, {});
  const auto value = before.front().value;
  const auto last = std::find_if(before.rbegin(), before.rend(), [&](const auto& m) { return m.value == value; });
  ASSERT_NE(last->moves, before.front().moves) << "the position has but one best move";
  OpeningStatistics statistics;
  statistics.add(games(game + " " + to_string(last->moves[0]) + "\n"), Rules::lines);
  const auto moves = explore(position, statistics, solver, {});
  EXPECT_EQ(moves.front().moves, last->moves);
  EXPECT_EQ(moves.front().played.games, 1U);
  EXPECT_EQ(moves.size(), before.size());
}

}  // namespace
}  // namespace quarto
