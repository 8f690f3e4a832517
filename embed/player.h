// A trained player out of one file:
//
//     auto player = quarto::embed::Player::load("model.light", {.simulations = 128});
//     quarto::Position position;                      // the empty board: whoever begins gives a piece
//     position.play(player.choose(position));
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "embed/think.h"
#include "env/evaluator.h"
#include "light/network_file.h"
#include "solver/solver.h"

namespace quarto::embed {

struct PlayerOptions {
  int simulations = 0;    // of the search for each move; 0: the raw network's choice, well under a millisecond
  int exact_squares = 0;  // exact play from so many empty squares on (11: a tenth of a second for the first such move)
  std::size_t table_bytes = std::size_t{64} << 20;  // of the solver, taken when it is first needed
  std::shared_ptr<const Book> book = nullptr;       // exact values of the opening, for solve() (solver/book.h)
};

// Not thread-safe; any number of players may share a file and play in different threads.
class Player {
 public:
  // Throws light::NetworkFileError, FileError; std::invalid_argument for options out of range. The file must not be
  // changed in place while it is in use (load_network_file()).
  static Player load(const std::filesystem::path& file, const PlayerOptions& options = {});
  explicit Player(light::LightNetwork network, const PlayerOptions& options = {});
  ~Player();
  Player(Player&&) noexcept;
  Player& operator=(Player&&) noexcept;

  // The position must be under the network's rules and not over (std::invalid_argument). As everything that asks the
  // network, throws std::runtime_error if its answer is not a number: weights that no training makes.
  Move choose(const Position& position);
  // The raw network's opinion, for the player to act.
  Evaluation evaluate(const Position& position);
  std::vector<Evaluation> evaluate(std::span<const Position> positions);
  // A search with these limits in place of options.simulations.
  Thought think(const Position& position, const ThinkLimits& limits);
  // The exact value of every move; with a time limit, of those that were found in time.
  MoveSolution solve(const Position& position, const SolveLimits& limits = {});

  const light::NetworkInfo& info() const;
  const PlayerOptions& options() const;
  Evaluator& evaluator();  // thread-safe, lives as long as the player

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto::embed
