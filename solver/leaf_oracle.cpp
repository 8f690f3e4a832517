#include "solver/leaf_oracle.h"

namespace quarto {

LeafOracle::LeafOracle(std::size_t table_bytes_each) : table_bytes_(table_bytes_each) {}

std::optional<Value> LeafOracle::value(const Position& position) {
  std::unique_ptr<Solver> solver;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      solver = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!solver) {
    SolverOptions options;
    options.table_bytes = table_bytes_;
    solver = std::make_unique<Solver>(options);
  }
  const std::optional<Value> value = solver->solve(position).value;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(solver));
  return value;
}

}  // namespace quarto
