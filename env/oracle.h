// Exact values from elsewhere: the contract between whatever may want them and whatever knows them. It stands at the
// bottom, like the evaluator's, so that a search can be given an oracle without knowing a solver.
#pragma once

#include <optional>

#include "env/position.h"

namespace quarto {

// Thread-safe: any number of threads may ask at the same time.
class Oracle {
 public:
  virtual ~Oracle() = default;
  // The value of a position that is not over, for the player to act, proven; or nothing. The same answer every time.
  virtual std::optional<Value> value(const Position& position) = 0;
};

}  // namespace quarto
