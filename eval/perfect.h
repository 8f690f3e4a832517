// Perfect play from the solver.
//
// Chooses at random among the moves that keep the position's exact value; a win at once is taken at once. What is done
// without solving, for Rules::lines: with three or fewer pieces on the board, moves after which there are still three
// or fewer are made at random. The game is a draw and no position with three pieces down and one in hand is won for the
// placer (docs/measuring.md says what that proves and what it does not). All other values are the solver's.
#pragma once

#include <memory>
#include <unordered_map>

#include "base/random.h"
#include "env/canonical.h"
#include "eval/player.h"
#include "solver/solver.h"

namespace quarto {

class PerfectPlayer final : public Player {
 public:
  explicit PerfectPlayer(const PlayerOptions& options);
  std::string name() const override { return "perfect"; }
  std::vector<Move> choose(std::span<const Position> positions) override;
  // A position with four pieces on the board can take a second.
  std::size_t preferred_batch() const override { return 1; }

  // Exact, for the player to act; kept by canonical key.
  Value value(const Position& position);

 private:
  Move choose_one(const Position& position);

  Solver solver_;
  Rng rng_;
  std::unordered_map<CanonicalKey, Value> known_;
};

// All of the position's moves draw, as far as PerfectPlayer is concerned.
bool drawn_by_known_facts(const Position& position);

}  // namespace quarto
