// web: the browser player: WebAssembly engine and page
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
#include "light/network_file.h"
#include "play/choose.h"
#include "solver/book.h"

namespace quarto::web {

class Engine {
 public:
  // The bytes of a network file (light/network_file.h) or an opening book; the name is for later questions.
  std::string add_network(const std::string& name, std::string_view bytes);
  std::string set_book(std::string_view bytes);

  // The state of a game: `moves` played from the position `start` ("": the empty board). Moves may be separated by
  // blanks or commas or by nothing at all.
  std::string state(std::string_view start, std::string_view moves) const;
  // What a network thinks, after so many simulations (0: at first sight).
  std::string think(const std::string& network, std::string_view position, int simulations) const;
  // The move that a player chooses (play/choose.h): {"move", "by", "value", "proven"}.
  // A page cannot interrupt this, so it lets solve() go on in slices first: what that found last is used, if it was
  // about this position; otherwise the solver is asked, for `time` at most (0: no limit).
  std::string choose(const std::string& network, std::string_view position, int simulations, int exact_squares,
                     std::chrono::milliseconds time);
  // The exact value of every move, of those that are found in time. What was found is kept for the next question.
  std::string solve(std::string_view position, std::chrono::milliseconds time);

 private:
  struct Network {
    light::NetworkInfo info;
    std::unique_ptr<Evaluator> evaluator;
  };
  std::map<std::string, Network> networks_;
  std::shared_ptr<const Book> book_;
  Evaluator& evaluator_of(const std::string& network) const;
  SharedSolver& solver();

  std::unique_ptr<SharedSolver> solver_;
  std::optional<std::pair<Position, MoveSolution>> solved_;  // by the last solve()
};

}  // namespace quarto::web
