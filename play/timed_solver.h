// Exact play against the clock.
//
// The position is solved; if that ends in time, moves that keep its value are looked for among those of the one-ply
// rule, in random order, until one is proven to keep it or all the others are proven not to. Whenever the time is up
// first, the choice is a random one among the one-ply rule's moves not yet proven wrong. So a move is optimal
// whenever the searches it needs end in time, and never worse than the one-ply rule's. What is solved in time depends
// on the machine and its load: the same seed need not give the same moves.
#pragma once

#include <chrono>

#include "base/random.h"
#include "play/player.h"
#include "solver/solver.h"

namespace quarto {

class TimedSolverPlayer final : public Player {
 public:
  // For each move; 0: the rule alone. Uses options.threads threads for one position at a time.
  TimedSolverPlayer(int milliseconds, const PlayerOptions& options);
  std::string name() const override;
  std::vector<Move> choose(std::span<const Position> positions) override;
  // About a second's work.
  std::size_t preferred_batch() const override;

 private:
  Move choose_one(const Position& position);

  std::chrono::milliseconds time_;
  Solver solver_;
  Rng rng_;
};

}  // namespace quarto
