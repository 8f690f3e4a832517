// Matches: games in pairs, both games of a pair from the same random opening with the seats swapped, many games side by
// side so that networks judge in batches.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eval/statistics.h"
#include "play/player.h"

namespace quarto {

struct MatchOptions {
  int games = 100;  // rounded up to whole pairs
  // Gives and places made at random before the players take over, so that players without chance do not repeat one
  // game. Openings never give a piece that wins at once and never win, so all are level as far as one ply sees.
  int opening_plies = 4;
  Rules rules = Rules::lines;
  std::uint64_t seed = 0;
  int side_by_side = 256;  // games in progress at a time
  // For each player and game. Then games are played one after the other, every decision is timed, and a player whose
  // time is over loses. Results depend on the machine and its load.
  std::optional<GameClock> clock{};
  // Called on the calling thread: games finished, moves made by the players so far. What it throws ends the match and
  // is passed on.
  std::function<void(int games, std::uint64_t moves)> on_progress{};
};

inline constexpr int kMaxOpeningPlies = 24;

struct MatchGame {
  std::vector<Move> moves;  // from the empty board, the opening included
  bool a_first = false;     // A is the player who gave first
  double a_points = 0.5;    // 1, 0.5, 0
  bool on_time = false;     // the loser's time was over
};

struct MatchResult {
  std::string a, b;
  int wins = 0, draws = 0, losses = 0;  // of A
  // The same by seat: index 0 when A gave first, 1 when B did.
  std::array<std::array<int, 3>, 2> by_seat{};
  std::vector<MatchGame> games;  // games 2i and 2i+1 are a pair
  EloEstimate elo;               // of A over B
  int a_lost_on_time = 0, b_lost_on_time = 0;
  int distinct_games = 0;  // different sequences of moves; few of them mean that the interval is too narrow
};

// Throws std::invalid_argument for options out of range, and what the players throw.
MatchResult play_match(Player& a, Player& b, const MatchOptions& options);

// A random opening of `plies` gives and places that is not over and hands nothing away.
std::vector<Move> random_opening(int plies, Rules rules, std::uint64_t seed);

nlohmann::json to_json(const MatchResult& result);

}  // namespace quarto
