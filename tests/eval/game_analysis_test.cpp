#include "eval/game_analysis.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_library.h"
#include "env/notation.h"
#include "eval/match.h"
#include "play/player.h"
#include "solver/book.h"

namespace quarto {
namespace {

using testing::HasSubstr;

Solver booked() { return Solver({.table_bytes = std::size_t{64} << 20, .threads = 1, .books = Books::shipped()}); }

std::vector<PlayedGame> games_between(const std::string& a, const std::string& b, int games) {
  PlayerOptions options;
  options.seed = 7;
  options.table_bytes = std::size_t{64} << 20;
  const auto first = make_player(a, options), second = make_player(b, options);
  MatchOptions match;
  match.games = games;
  match.seed = 3;
  match.opening_plies = 10;
  std::vector<PlayedGame> played;
  for (const MatchGame& g : play_match(*first, *second, match).games) {
    played.push_back({"", {g.a_first ? a : b, g.a_first ? b : a}, g.moves, {}, {}});
  }
  return played;
}

// A value keeps its sign across a place and changes it across a give.
TEST(GameAnalysis, ValuesOfAGameHangTogether) {
  const std::vector<PlayedGame> games = games_between("random", "oneply", 6);
  Solver solver = booked();
  const std::vector<JudgedGame> judged = analyse_games(games, solver, {});
  ASSERT_EQ(judged.size(), games.size());
  int mistakes = 0;
  for (const JudgedGame& game : judged) {
    ASSERT_EQ(game.moves.size(), game.game.moves.size());
    for (std::size_t i = 0; i < game.moves.size(); ++i) {
      const JudgedMove& m = game.moves[i];
      ASSERT_TRUE(m.value && m.after);
      EXPECT_EQ(m.player, m.before.player_to_act());
      EXPECT_GE(m.loss(), 0);
      EXPECT_EQ(m.better().empty(), m.loss() == 0);
      for (const Move b : m.better()) EXPECT_EQ(m.values[b.index], m.value);
      mistakes += m.loss() > 0;
      if (i + 1 == game.moves.size()) continue;
      const Value next = game.moves[i + 1].value.value();
      EXPECT_EQ(*m.after, m.before.has_hand() ? next : -next) << to_string(m.before) << " " << to_string(m.move);
    }
    ASSERT_TRUE(game.result);
    const JudgedMove& last = game.moves.back();
    EXPECT_EQ(*last.after, last.player == 0 ? *game.result : -*game.result);
  }
  EXPECT_GT(mistakes, 0);
}

TEST(GameAnalysis, PerfectPlayersMakeNoMistakesAndRandomOnesDo) {
  std::vector<PlayedGame> games = games_between("perfect:any", "random", 6);
  // The opening was drawn at random, and its mistakes are nobody's: the first ten moves go from both counts.
  Solver solver = booked();
  std::vector<JudgedGame> judged = analyse_games(games, solver, {});
  for (JudgedGame& game : judged) game.moves.erase(game.moves.begin(), game.moves.begin() + 10);
  const std::vector<PlayerMistakes> players = mistakes_of(judged);
  ASSERT_EQ(players.size(), 2U);
  for (const PlayerMistakes& p : players) {
    EXPECT_EQ(p.games, 6);
    EXPECT_EQ(p.judged, p.moves);
    EXPECT_EQ(p.mistakes() > 0, p.name == "random") << p.name << ": " << p.mistakes();
  }
}

TEST(GameAnalysis, AStopKeepsTheGamesThatAreWhole) {
  const std::vector<PlayedGame> games = games_between("oneply", "oneply", 4);
  std::atomic<bool> stop = false;
  AnalysisOptions options;
  options.limits.stop = &stop;
  options.on_progress = [&](std::size_t done) { stop = done == 2; };
  Solver solver = booked();
  EXPECT_EQ(analyse_games(games, solver, options).size(), 2U);
}

TEST(GameAnalysis, TheJsonHasEveryMoveAndItsAlternatives) {
  Solver solver = booked();
  const std::vector<JudgedGame> judged = analyse_games(games_between("random", "random", 2), solver, {});
  const nlohmann::json json = to_json(judged, Rules::lines);
  EXPECT_EQ(json.at("format"), "quarto-analysis/1");
  EXPECT_EQ(json.at("games").size(), 2U);
  for (std::size_t g = 0; g < 2; ++g) {
    const nlohmann::json& moves = json.at("games")[g].at("moves");
    ASSERT_EQ(moves.size(), judged[g].moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) {
      EXPECT_EQ(moves[i].at("loss"), judged[g].moves[i].loss());
      EXPECT_EQ(moves[i].at("values").at(moves[i].at("move").get<std::string>()), moves[i].at("after"));
    }
  }
}

}  // namespace
}  // namespace quarto
