// The solver as an oracle for a search's leaves (env/oracle.h): exact values near the end of the game, for searches
// that are allowed them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "env/oracle.h"
#include "solver/solver.h"

namespace quarto {

// Each question is answered by a solver that nobody else is using at the time, so there come to be as many solvers as
// threads that ask at once, each with a table of its own. Meant for positions with eight empty squares or so, which
// take less than a millisecond; it has no limit and will work for minutes on an open board.
class LeafOracle final : public Oracle {
 public:
  explicit LeafOracle(std::size_t table_bytes_each = std::size_t{16} << 20);
  std::optional<Value> value(const Position& position) override;

 private:
  std::size_t table_bytes_;
  std::mutex mutex_;                           // protects idle_
  std::vector<std::unique_ptr<Solver>> idle_;  // out of it while it works
};

}  // namespace quarto
