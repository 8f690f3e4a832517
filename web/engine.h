// web: the browser player. The page in page/ asks this engine, compiled to WebAssembly, for everything that follows
// from the rules, the networks or the solver; docs/web.md tells how they talk. Uses base, env, solver, mcts, light and
// embed. Promises: every question is answered with JSON text, mistakes of the asker with {"error": "..."}.
//
// This header: the questions. Positions, moves and games are in the notation of env/notation.h; values are 1, 0, -1 for
// the player to act. One engine is used by one thread.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/evaluator.h"
#include "env/position.h"
#include "light/network_file.h"
#include "solver/book.h"
#include "solver/solver.h"

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
  // The exact value of every move, of those that are found in time. What was found is kept for the next question.
  std::string solve(std::string_view position, std::chrono::milliseconds time);

 private:
  struct Network {
    light::NetworkInfo info;
    std::unique_ptr<Evaluator> evaluator;
  };
  std::map<std::string, Network> networks_;
  std::shared_ptr<const Book> book_;
  std::unique_ptr<Solver> solver_;
};

}  // namespace quarto::web
