// web: the browser player: WebAssembly engine and page; the dashboard's page
// Uses: base, env, solver, mcts, light, play.
// Promises: Every question is answered with JSON text; a mistake in the question with {"error": "..."}.
//
// This header: the questions. Positions, moves and games are in the notation of env/notation.h; values are 1, 0, -1 for
// the player to act. One engine is used by one thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/evaluator.h"
#include "env/position.h"
#include "env/types.h"
#include "light/network_file.h"
#include "play/choose.h"
#include "solver/book.h"

namespace quarto::web {

class Engine {
 public:
  // The bytes of a network file (light/network_file.h) or an opening book; the name is for later questions.
  std::string add_network(const std::string& name, std::string_view bytes);
  std::string set_book(std::string_view bytes);

  // `rules` is "lines" or "squares" everywhere below.
  //
  // The state of a game: `moves` played from the position `start` ("": the empty board). Moves may be separated by
  // blanks or commas or by nothing at all.
  std::string state(std::string_view rules, std::string_view start, std::string_view moves) const;
  // The levels that people choose among (play/levels.h), from the weakest to the strongest.
  std::string levels(std::string_view rules) const;
  // What a network thinks, after so many simulations (0: at first sight). "uniform" is a network that knows nothing,
  // for all rules; every other is asked under its own rules only.
  std::string think(const std::string& network, std::string_view rules, std::string_view position,
                    int simulations) const;
  // The move that a player chooses (play/choose.h): {"move", "by", "value", "proven", "seconds",
  // "complete": false where `time` ended what `sharp` looks for, and asking again goes on}.
  // A page cannot interrupt this, so it lets solve() go on in slices first: what that found last is used, if it was
  // about this position; otherwise the solver is asked, for `time` at most (0: no limit).
  std::string choose(const std::string& network, std::string_view rules, std::string_view position, int simulations,
                     int exact_squares, std::chrono::milliseconds time, bool sharp);
  // The same, but among moves of equal exact value the network decides (play/hint.h); and "alike", their number.
  std::string hint(const std::string& network, std::string_view rules, std::string_view position, int simulations,
                   int exact_squares, std::chrono::milliseconds time);
  // The move of a player without a network, who looks `lookahead` plies ahead (0: the one-ply rule) and in `careless`
  // percent of its decisions does not look: {"move", "by"}. What is left to chance follows from `seed`.
  std::string simple(std::string_view rules, std::string_view position, int lookahead, int careless,
                     unsigned seed) const;
  // The exact value of every move, of those that are found in time. What was found is kept for the next question.
  std::string solve(std::string_view rules, std::string_view position, std::chrono::milliseconds time);

  // In how many placements every won or lost move ends (solver/solver.h), of those that are found in time, after solve()
  // of the position: {"placements": [16 numbers or null], "best", "complete"}. It too can be asked again to go on.
  std::string distances(std::string_view rules, std::string_view position, std::chrono::milliseconds time);

  // What a pairs network takes of the position (light/counts.h): {"size", "numbers": [index, number, ...]}, where all
  // other numbers are 0.
  std::string counts(std::string_view rules, std::string_view position) const;

 private:
  struct Network {
    light::NetworkInfo info;
    std::unique_ptr<Evaluator> evaluator;
  };
  std::map<std::string, Network> networks_;
  Books books_;
  ChoiceLimits limits_of(const Position& position, int simulations, int exact_squares,
                         std::chrono::milliseconds time) const;
  Evaluator& evaluator_of(const std::string& network, Rules rules) const;
  SharedSolver& solver();

  std::unique_ptr<SharedSolver> solver_;                     // for all rules: a phone has no room for two tables
  std::optional<std::pair<Position, MoveSolution>> solved_;  // by the last solve()
};

}  // namespace quarto::web
