// Matches. Games come in pairs: both games of a pair start from the same random opening, with the seats swapped. Many
// games run side by side, so that networks evaluate batches.
#pragma once

#include <atomic>
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
  // The number of random gives and places before the players choose, so that deterministic players do not repeat one
  // game. Openings never give a piece that wins at once and never win, so no opening is decided within one ply.
  int opening_plies = 4;
  Rules rules = Rules::lines;
  std::uint64_t seed = 0;
  int side_by_side = 256;  // games in progress at the same time; see games_side_by_side()
  // The clock of each player for a game. With a clock, games are played one after the other, every decision is timed,
  // and a player whose time is over loses. Results then depend on the machine and its load.
  std::optional<GameClock> clock{};
  // When it becomes true, the match ends: pairs of games that have ended are the result.
  const std::atomic<bool>* stop = nullptr;
  // Called on the calling thread with the numbers of finished games and of moves chosen by the players. An exception
  // from it ends the match and is rethrown.
  std::function<void(int games, std::uint64_t moves)> on_progress{};
};

inline constexpr int kMaxOpeningPlies = 24;

// The seed of a player's own chance in a match of this seed, of A or of B: who plays two players by name, for a match
// or a pairing of a round robin, makes them with these.
std::uint64_t player_seed(std::uint64_t match_seed, bool of_a);
// The estimated number of moves that both players choose in a game. After a short opening games seldom last to the last
// piece.
int expected_moves(int opening_plies);

struct MatchGame {
  std::vector<Move> moves;  // from the empty board, including the opening
  bool a_first = false;     // A is the player who gave first
  double a_points = 0.5;    // 1, 0.5, 0
  bool on_time = false;     // the loser lost on time
  bool ended = false;
  std::string forfeit{};  // why the loser could not go on (PlayerFailed), or ""
};

struct MatchResult {
  std::string a, b;
  int wins = 0, draws = 0, losses = 0;  // of A
  // The same by seat: index 0 when A gave first, 1 when B did.
  std::array<std::array<int, 3>, 2> by_seat{};
  std::vector<MatchGame> games;  // games 2i and 2i+1 are a pair
  bool stopped = false;  // by MatchOptions::stop: games that had not ended are left out, and `games` may be empty
  EloEstimate elo;       // of A over B
  int a_lost_on_time = 0, b_lost_on_time = 0;
  int a_forfeits = 0, b_forfeits = 0;  // games lost because the player failed; the games say why
  int distinct_games = 0;              // number of different move sequences; if it is small, the interval is too narrow
};

// A player that fails (PlayerFailed) loses its game, and the next one begins as usual. Throws std::invalid_argument for
// options out of range, and what else the players throw.
MatchResult play_match(Player& a, Player& b, const MatchOptions& options);

// How many games to have in progress with so many threads: 256, and fewer where that costs neither time nor changes a
// game, so that the first ones end sooner. With 32 for each thread, half of them each player's turn, networks of the
// processor's own kernels play as many games per second. LibTorch and GPUs need larger batches. Players with
// chance draw their numbers in the order of their decisions: other games would be played.
int games_side_by_side(const Player& a, const Player& b, int threads, bool on_gpu);

// A random opening of `plies` gives and places. The game is not over after it, and no give in it loses at once.
std::vector<Move> random_opening(int plies, Rules rules, std::uint64_t seed);

nlohmann::json to_json(const MatchResult& result);

}  // namespace quarto
