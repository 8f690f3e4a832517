// How long a forced win takes: the winner hurries, the loser delays.
#pragma once

#include <memory>
#include <optional>

#include "env/position.h"
#include "solver/solver.h"

namespace quarto {

// Not thread-safe. Keeps what it found between calls.
class WinDistance {
 public:
  // Memory for exact values; what it keeps of distances comes on top, and is dropped beyond a hundred million bytes.
  explicit WinDistance(std::size_t table_bytes = std::size_t{256} << 20);  // throws SolverError
  ~WinDistance();

  // Gives and places until the winning line is complete, 0 for a finished game that was won; nullopt if the position is
  // a draw. Who wins is for the solver to say.
  std::optional<int> plies(const Position& position);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
