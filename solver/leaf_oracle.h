// The solver as an oracle for the leaves of a search (env/oracle.h): exact values near the end of the game, for
// searches that may use them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "env/oracle.h"
#include "solver/solver.h"

namespace quarto {

// Each call uses a solver that no other thread uses at the time. So there are as many solvers as threads that call at
// once, each with its own table, which boards with nine empty squares and more use. Intended for positions with about
// eight, which take less than a millisecond. It has no time limit; an open board takes minutes.
class LeafOracle final : public Oracle {
 public:
  explicit LeafOracle(std::size_t table_bytes_each = std::size_t{16} << 20);
  std::optional<Value> value(const Position& position) override;

 private:
  std::size_t table_bytes_;
  std::mutex mutex_;                           // protects idle_
  std::vector<std::unique_ptr<Solver>> idle_;  // without those in use
};

}  // namespace quarto
