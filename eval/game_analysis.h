// Whole games judged by exact values: what every move was worth, what it lost, and what would have kept the value.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/position.h"
#include "eval/game_text.h"
#include "solver/solver.h"

namespace quarto {

struct JudgedMove {
  Position before;
  Move move;
  int player = 0;              // 0: who gave first
  std::optional<Value> value;  // of `before` for this player; nullopt: not solved within the limits
  std::optional<Value> after;  // of the move, for the same player
  std::array<std::optional<Value>, kMoves> values{};  // of all moves, by Move::index
  // What the move gave away: 0, 1 (a draw for a loss, a win for a draw) or 2 (a win for a loss); 0 if it is not known.
  int loss() const { return value && after ? static_cast<int>(*value) - static_cast<int>(*after) : 0; }
  // The moves that keep the value.
  std::vector<Move> better() const;
};

struct JudgedGame {
  PlayedGame game;
  std::vector<JudgedMove> moves;
  std::optional<Value> result;  // for who gave first, by the rules; nullopt: the game is not over
};

struct AnalysisOptions {
  Rules rules = Rules::lines;
  SolveLimits limits{};  // of one position; its `stop` ends the analysis
  // Called on the calling thread after each game with the number of games so far.
  std::function<void(std::size_t done)> on_progress{};
};

// In the order of the games; ends early when limits.stop is set, with the games that were judged whole. Throws
// SolverError.
std::vector<JudgedGame> analyse_games(std::span<const PlayedGame> games, Solver& solver,
                                      const AnalysisOptions& options);

// What one player did in all games.
struct PlayerMistakes {
  std::string name;
  int games = 0, moves = 0, judged = 0;  // judged: moves with a known loss
  int win_to_draw = 0, win_to_loss = 0, draw_to_loss = 0;
  int mistakes() const { return win_to_draw + win_to_loss + draw_to_loss; }
};
// By name; games without names are by "gives first" and "places first".
std::vector<PlayerMistakes> mistakes_of(std::span<const JudgedGame> games);

// {"format": "quarto-analysis/1", "rules", "players": [...], "games": [{"name", "players", "result", "points_of_first",
// "note", "moves": [{"move", "player", "position", "value", "after", "loss", "better", "values": {"c3": 1, ...}}]}]};
// values are -1, 0, 1 for who moves, null where not solved. docs/measuring.md explains it.
nlohmann::json to_json(std::span<const JudgedGame> games, Rules rules);

}  // namespace quarto
