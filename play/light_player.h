// A trained player out of one file:
//
//     auto player = quarto::LightPlayer::load("model.light", {.simulations = 128});
//     quarto::Position position;                      // the empty board: whoever begins gives a piece
//     position.play(player.choose(position));
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "env/evaluator.h"
#include "light/network_file.h"
#include "play/choose.h"
#include "solver/solver.h"

namespace quarto {

struct LightPlayerOptions {
  int simulations = 0;    // of the search for each move; 0: the raw network's choice, well under a millisecond
  SearchConfig search{};  // of the search
  int exact_squares = 0;  // exact play from so many empty squares on (11: a tenth of a second for the first such move)
  bool sharp = false;     // of exact play (play/sharp.h)
  std::size_t table_bytes = std::size_t{64} << 20;  // of the solver, taken when it is first needed
  Books books = {};                                 // exact values of the opening, for solve() (solver/book.h)
};

// Thread-safe: evaluating and searching go on side by side, exact play is one thread at a time.
class LightPlayer {
 public:
  // Throws light::NetworkFileError, FileError; std::invalid_argument for options out of range.
  static LightPlayer load(const std::filesystem::path& file, const LightPlayerOptions& options = {});
  explicit LightPlayer(light::LightNetwork network, const LightPlayerOptions& options = {});
  ~LightPlayer();
  LightPlayer(LightPlayer&&) noexcept;
  LightPlayer& operator=(LightPlayer&&) noexcept;

  // The position must be under the network's rules and not over (std::invalid_argument). As everything that asks the
  // network, throws std::runtime_error if its answer is not a number: weights that no training makes.
  Move choose(const Position& position);
  // By the clock of a whole game; with no simulations among the options, the search takes as many as there is time for.
  Move choose(const Position& position, const GameClock& clock);
  // With these limits in place of the options', and all that is known of the choice (play/choose.h).
  Choice choose(const Position& position, const ChoiceLimits& limits);
  // The raw network's opinion, for the player to act.
  Evaluation evaluate(const Position& position);
  std::vector<Evaluation> evaluate(std::span<const Position> positions);
  // A search with these limits in place of options.simulations, whatever exact play would choose.
  Thought think(const Position& position, const ThinkLimits& limits);
  // The exact value of every move; with a time limit, of those that were found in time.
  MoveSolution solve(const Position& position, const SolveLimits& limits = {});

  const light::NetworkInfo& info() const;
  const LightPlayerOptions& options() const;
  ChoiceLimits limits() const;  // the options'
  Evaluator& evaluator();       // thread-safe, lives as long as the player

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
