#include "eval/match.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "env/notation.h"
#include "solver/solver.h"

namespace quarto {
namespace {

// Plays the legal move with the lowest index: as deterministic as a player can be.
class Lowest final : public Player {
 public:
  std::string name() const override { return "lowest"; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    std::vector<Move> moves;
    for (const Position& p : positions) {
      moves.push_back({p.phase(), static_cast<std::uint8_t>(*BitsOf(p.legal_moves()).begin())});
    }
    return moves;
  }
};

TEST(Match, APlayerWithoutChanceScoresExactlyHalfAgainstItself) {
  for (const int plies : {0, 1, 4, 9}) {
    Lowest a, b;
    MatchOptions options;
    options.games = 60;
    options.opening_plies = plies;
    const MatchResult r = play_match(a, b, options);
    EXPECT_EQ(r.elo.score, 0.5) << plies;
    EXPECT_EQ(r.wins, r.losses);
    EXPECT_EQ(r.by_seat[0][0], r.by_seat[1][2]);  // what A wins in one seat it loses in the other
    for (std::size_t g = 0; g < r.games.size(); g += 2) EXPECT_EQ(r.games[g].moves, r.games[g + 1].moves);
    if (plies == 0) {
      EXPECT_EQ(r.distinct_games, 1);
    } else if (plies == 9) {
      EXPECT_GT(r.distinct_games, 25);
    }
  }
}

TEST(Match, PointsAgreeWithTheGames) {
  PlayerOptions options;
  options.seed = 3;
  const auto a = make_player("random", options);
  const auto b = make_player("oneply", options);
  MatchOptions match;
  match.games = 41;
  match.side_by_side = 5;
  const MatchResult r = play_match(*a, *b, match);
  EXPECT_EQ(r.games.size(), 42U);
  EXPECT_EQ(r.wins + r.draws + r.losses, 42);
  EXPECT_LT(r.elo.score, 0.1);
  for (std::size_t g = 0; g < r.games.size(); ++g) {
    EXPECT_EQ(r.games[g].a_first, g % 2 == 0);
    Position p;
    for (const Move m : parse_game(to_string(r.games[g].moves))) p.play(m);
    ASSERT_TRUE(p.is_terminal());
    if (!p.is_won()) {
      EXPECT_EQ(r.games[g].a_points, 0.5);
    } else {
      const bool first_won = p.player_to_act() == 0;
      EXPECT_EQ(r.games[g].a_points, first_won == r.games[g].a_first ? 1.0 : 0.0);
    }
    // Both games of a pair begin alike.
    const MatchGame& twin = r.games[g ^ 1];
    EXPECT_TRUE(std::equal(twin.moves.begin(), twin.moves.begin() + match.opening_plies, r.games[g].moves.begin()));
  }
}

TEST(Match, ThePerfectPlayerNeverLosesFromALevelOpening) {
  PlayerOptions options;
  options.table_bytes = std::size_t{64} << 20;
  const auto perfect = make_player("perfect", options);
  const auto random = make_player("random", options);
  MatchOptions match;
  match.games = 40;
  match.opening_plies = 12;
  const MatchResult r = play_match(*perfect, *random, match);
  for (std::size_t g = 0; g < r.games.size(); ++g) {
    if (r.games[g].a_points > 0) continue;
    // It may be given a lost position; it may not lose any other.
    Position p;
    for (int i = 0; i < match.opening_plies; ++i) p.play(r.games[g].moves[static_cast<std::size_t>(i)]);
    Solver solver({options.table_bytes, 1});
    const bool a_acts = (p.player_to_act() == 0) == r.games[g].a_first;
    EXPECT_EQ(solver.solve(p).value, a_acts ? Value::loss : Value::win) << to_string(p);
  }
  EXPECT_GT(r.wins, 30);
}

TEST(Match, OpeningsAreSafeAndVaried) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto moves = random_opening(13, Rules::lines, seed);
    ASSERT_EQ(moves.size(), 13U);
    ++seen[to_string(moves)];
    Position p;
    for (const Move m : moves) p.play(m);
    EXPECT_FALSE(p.is_terminal());
    EXPECT_EQ(p.winning_squares(p.hand()), 0);
  }
  EXPECT_EQ(seen.size(), 200U);
}

TEST(Match, JsonHasNullWhereOnlyABoundIsKnown) {
  MatchResult r;
  r.a = "x";
  r.b = "y";
  r.elo = estimate_elo(std::vector<PairScore>(10, PairScore{1, 1}));
  const nlohmann::json json = to_json(r);
  EXPECT_TRUE(json.at("elo").is_null());
  EXPECT_TRUE(json.at("elo_high").is_null());
  EXPECT_GT(json.at("elo_low").get<double>(), 100);
}

TEST(Match, OptionsOutOfRangeAreRefused) {
  Lowest a, b;
  MatchOptions options;
  options.games = 0;
  EXPECT_THROW(play_match(a, b, options), std::invalid_argument);
  options.games = 2;
  options.opening_plies = 30;
  EXPECT_THROW(play_match(a, b, options), std::invalid_argument);
}

}  // namespace
}  // namespace quarto
