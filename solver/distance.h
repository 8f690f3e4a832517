// The length of a forced win when the winner hurries and the loser delays.
#pragma once

#include <memory>
#include <optional>

#include "env/position.h"
#include "solver/solver.h"

namespace quarto {

// Not thread-safe. Keeps its results between calls.
class WinDistance {
 public:
  // `table_bytes` is the memory for exact values. Distances use additional memory and are cleared beyond a hundred
  // million bytes.
  explicit WinDistance(std::size_t table_bytes = std::size_t{256} << 20);  // throws SolverError
  ~WinDistance();

  // The number of gives and places until the winning line is complete; 0 for a finished game that was won; nullopt if
  // the position is a draw. It does not say which player wins; the solver does.
  std::optional<int> plies(const Position& position);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
