// What is known of the moves of a position: the exact value of each, and how often it was played. Moves that lead to
// images of the same position under the game's 12,288 symmetries are one: of the first gives there is one, of the first
// places two.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "data/suite.h"
#include "env/canonical.h"
#include "eval/game_analysis.h"
#include "solver/solver.h"

namespace quarto {

struct PlayedCount {
  std::size_t games = 0;   // with the move
  std::size_t scored = 0;  // of these, those whose result is known
  double points = 0;       // of whoever made the move, in these: 1 for a win, 1/2 for a draw
};

// The moves of many games and the positions of suites, by position. Questions are thread-safe as long as nothing is
// added. Memory: about 150 bytes for each different move of the games.
class OpeningStatistics {
 public:
  // A game whose result the text does not say counts with that of its last position, if it is over.
  void add(std::span<const PlayedGame> games, Rules rules);
  void add(const Suite& suite);

  // A game that reaches the position by other moves counts too.
  PlayedCount of_move(const Position& before, const Position& after) const;
  std::size_t suite_positions(const Position& position) const;  // equal to it or an image of it

 private:
  std::map<std::pair<CanonicalKey, CanonicalKey>, PlayedCount> moves_;
  std::map<CanonicalKey, std::size_t> suite_;
};

struct ExploredMove {
  std::vector<Move> moves;     // all that lead to images of the same position, by index
  std::optional<Value> value;  // for the player to act; nullopt: not solved within the limits
  PlayedCount played;
  std::size_t in_suites = 0;  // positions of suites that the move leads to
};

// The moves of `position`: by value, the best first, then by how often they were played, then by index. None if the
// game is over.
std::vector<ExploredMove> explore(const Position& position, const OpeningStatistics& statistics, Solver& solver,
                                  const SolveLimits& limits);

}  // namespace quarto
