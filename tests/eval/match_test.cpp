#include "eval/match.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "base/json_library.h"
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

// Fails at its decision number `at`, counted over all games, and at every `every`-th after it.
class Failing final : public Player {
 public:
  explicit Failing(int at, int every = 1'000'000) : at_(at), every_(every) {}
  std::string name() const override { return "failing"; }
  std::size_t preferred_batch() const override { return 1; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    const int n = asked_++;
    if (n >= at_ && (n - at_) % every_ == 0) throw PlayerFailed(name(), "was tired");
    return lowest_.choose(positions);
  }
  void prepare() override { ++prepared; }
  int prepared = 0;

 private:
  Lowest lowest_;
  int at_, every_, asked_ = 0;
};

// Keeps the clocks that it is given; takes `delay` for its decision number `slow_at`.
class Timed final : public Player {
 public:
  explicit Timed(int slow_at = -1, std::chrono::milliseconds delay = {}) : slow_at_(slow_at), delay_(delay) {}
  std::string name() const override { return "timed"; }
  std::vector<Move> choose(std::span<const Position> positions) override { return lowest_.choose(positions); }
  Move choose_by_clock(const Position& position, const GameClock& clock) override {
    if (static_cast<int>(clocks.size()) == slow_at_) std::this_thread::sleep_for(delay_);
    clocks.push_back(clock);
    return choose({&position, 1}).front();
  }
  void prepare() override { prepared = clocks.empty(); }

  std::vector<GameClock> clocks;
  bool prepared = false;

 private:
  Lowest lowest_;
  int slow_at_;
  std::chrono::milliseconds delay_;
};

TEST(Match, ByTheClockEachPlayerHasATimeOfItsOwn) {
  Timed a, b;
  MatchOptions options;
  options.games = 2;
  options.clock = GameClock{std::chrono::hours(1), std::chrono::minutes(1)};
  const MatchResult r = play_match(a, b, options);
  EXPECT_EQ(r.a_lost_on_time + r.b_lost_on_time, 0);
  EXPECT_EQ(r.elo.score, 0.5);
  for (const Timed* player : {&a, &b}) {
    EXPECT_TRUE(player->prepared);
    // Each decision adds a minute to the hour, less the moment that it took.
    ASSERT_GT(player->clocks.size(), 3U);
    EXPECT_EQ(player->clocks[0].left, std::chrono::hours(1));
    for (std::size_t i = 1; i < 3; ++i) {
      EXPECT_GT(player->clocks[i].left, player->clocks[i - 1].left);
      EXPECT_LE(player->clocks[i].left, player->clocks[i - 1].left + std::chrono::minutes(1));
    }
  }
}

TEST(Match, APlayerWhoseTimeIsOverLosesInEitherSeat) {
  MatchOptions options;
  options.games = 2;
  options.clock = GameClock{std::chrono::seconds(2)};
  for (const bool slow_is_a : {true, false}) {
    // The first decision of the first game takes too long; the other player needs no time to speak of, and two
    // seconds are enough for it on any machine.
    Timed slow(0, std::chrono::milliseconds(2100)), quick;
    const MatchResult r = slow_is_a ? play_match(slow, quick, options) : play_match(quick, slow, options);
    EXPECT_TRUE(r.games[0].on_time);
    EXPECT_EQ(r.games[0].a_points, slow_is_a ? 0 : 1);
    EXPECT_GE(slow_is_a ? r.a_lost_on_time : r.b_lost_on_time, 1);
    EXPECT_EQ(to_json(r)["a_lost_on_time"], r.a_lost_on_time);
    EXPECT_EQ(to_json(r)["b_lost_on_time"], r.b_lost_on_time);
  }
}

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

TEST(Match, APlayerThatFailsLosesThatGameAndNoOther) {
  for (const bool by_clock : {false, true}) {
    for (const bool as_a : {false, true}) {
      MatchOptions options;
      options.games = 6;
      options.side_by_side = by_clock ? 256 : 1;
      if (by_clock) options.clock = GameClock{std::chrono::minutes(10), {}};
      Lowest lowest;
      Failing failing(1);
      const MatchResult r = as_a ? play_match(failing, lowest, options) : play_match(lowest, failing, options);
      EXPECT_EQ(r.games.size(), 6U);
      EXPECT_EQ(as_a ? r.a_forfeits : r.b_forfeits, 1);
      EXPECT_EQ(as_a ? r.b_forfeits : r.a_forfeits, 0);
      EXPECT_EQ(r.games[0].forfeit, "was tired");
      EXPECT_EQ(r.games[0].a_points, as_a ? 0 : 1);
      EXPECT_FALSE(r.games[0].on_time);
      for (std::size_t g = 1; g < 6; ++g) EXPECT_EQ(r.games[g].forfeit, "");
      EXPECT_EQ(to_json(r).at(as_a ? "a_forfeits" : "b_forfeits"), 1);
      EXPECT_EQ(failing.prepared, by_clock ? 2 : 0) << "it gets ready again before its next game by the clock";
    }
  }
}

TEST(Match, APlayerThatAlwaysFailsLosesAllGames) {
  Lowest lowest;
  Failing failing(0, 1);
  const MatchResult r = play_match(failing, lowest, {.games = 20});
  EXPECT_EQ(r.losses, 20);
  EXPECT_EQ(r.a_forfeits, 20);
}

// One position at a time, and asks for the end of the match when it has ended the second game of a pair whose first
// game its opponent has ended in the same turn: the same game with the seats swapped.
class StopsAfterAPair final : public Player {
 public:
  explicit StopsAfterAPair(std::atomic<bool>& stop) : stop_(stop) {}
  std::string name() const override { return "stops after a pair"; }
  std::size_t preferred_batch() const override { return 1; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    const std::vector<Move> moves = lowest_.choose(positions);
    const Position next = positions[0].after(moves[0]);
    if (next.is_terminal() && next.ply() % 4 == 0) stop_ = true;
    return moves;
  }

 private:
  Lowest lowest_;
  std::atomic<bool>& stop_;
};

TEST(Match, AStopInTheMiddleOfATurnKeepsTheGamesThatEndedInIt) {
  int stopped_early = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    std::atomic<bool> stop = false;
    MatchOptions options;
    options.games = 40;
    options.seed = seed;
    options.stop = &stop;
    Lowest a;
    StopsAfterAPair b(stop);
    const MatchResult r = play_match(a, b, options);
    if (!stop) continue;
    EXPECT_GE(r.games.size(), 2U) << seed;
    stopped_early += r.stopped;
    for (const MatchGame& game : r.games) {
      Position p;
      for (const Move m : game.moves) p.play(m);
      EXPECT_TRUE(p.is_terminal());
    }
  }
  EXPECT_GT(stopped_early, 0);
}

// As LibTorch's networks.
class InBatches final : public Player {
 public:
  std::string name() const override { return "in batches"; }
  std::vector<Move> choose(std::span<const Position> positions) override { return lowest_.choose(positions); }
  bool deterministic() const override { return true; }
  bool depends_on_batch() const override { return true; }

 private:
  Lowest lowest_;
};

TEST(Match, FewerGamesRunSideBySideOnlyWhereThatCostsNothing) {
  PlayerOptions options;
  const auto search = make_player("uniform@4", options), chance = make_player("oneply", options);
  EXPECT_EQ(games_side_by_side(*search, *search, 1, false), 32);
  EXPECT_EQ(games_side_by_side(*search, *search, 2, false), 64);
  EXPECT_EQ(games_side_by_side(*search, *search, 1000, false), 256);
  EXPECT_EQ(games_side_by_side(*search, *search, 1, true), 256) << "a GPU";
  EXPECT_EQ(games_side_by_side(*search, *chance, 1, false), 256);
  EXPECT_EQ(games_side_by_side(*chance, *search, 1, false), 256);
  EXPECT_EQ(games_side_by_side(*search, InBatches(), 1, false), 256);
}

TEST(Match, PlayersWithoutChancePlayTheSameGamesHoweverManyRunSideBySide) {
  PlayerOptions of_players;
  std::vector<std::string> played;
  for (const int side_by_side : {1, 7, 32, 256}) {
    const auto a = make_player("uniform@8", of_players), b = make_player("uniform@3", of_players);
    MatchOptions options;
    options.games = 40;
    options.side_by_side = side_by_side;
    std::string games;
    for (const MatchGame& game : play_match(*a, *b, options).games) games += to_string(game.moves) + "\n";
    played.push_back(games);
  }
  for (const std::string& games : played) EXPECT_EQ(games, played[0]);
}

TEST(Match, AStoppedMatchKeepsThePairsThatHaveEnded) {
  for (const bool by_clock : {false, true}) {
    std::atomic<bool> stop = false;
    MatchOptions options;
    options.games = 20;
    options.side_by_side = 1;
    options.stop = &stop;
    if (by_clock) options.clock = GameClock{std::chrono::minutes(10), {}};
    options.on_progress = [&](int games, std::uint64_t) { stop = games == 5; };
    Lowest a, b;
    const MatchResult r = play_match(a, b, options);
    EXPECT_TRUE(r.stopped);
    EXPECT_EQ(r.games.size(), 4U);
    EXPECT_EQ(r.wins + r.draws + r.losses, 4);
    options.stop = nullptr;
    options.on_progress = {};
    const MatchResult whole = play_match(a, b, options);
    EXPECT_FALSE(whole.stopped);
    for (std::size_t g = 0; g < 4; ++g) EXPECT_EQ(r.games[g].moves, whole.games[g].moves);
  }
}

TEST(Match, AMatchThatIsStoppedAtOnceHasNoResult) {
  std::atomic<bool> stop = true;
  MatchOptions options;
  options.stop = &stop;
  Lowest a, b;
  const MatchResult r = play_match(a, b, options);
  EXPECT_TRUE(r.stopped);
  EXPECT_TRUE(r.games.empty());
}

}  // namespace
}  // namespace quarto
