// The exact solver as players share it: made when it is first needed, asked by any number of threads, one at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solver/solver.h"

namespace quarto {

// Thread-safe.
class SharedSolver {
 public:
  // Memory for the table is taken at the first question, which throws SolverError if there is none.
  explicit SharedSolver(SolverOptions options) : options_(std::move(options)) {}

  // question(solver, limits), in turn. A thread that waits for its turn gives up when limits.stop is set or limits.time
  // is over: then the question was not asked, and there is no answer. Waiting, and making the solver, count against the
  // time.
  template <class Question>
  auto ask(const SolveLimits& limits, const Question& question)
      -> std::optional<decltype(question(std::declval<Solver&>(), limits))> {
    const auto start = std::chrono::steady_clock::now();
    const Turn turn(*this, limits, start);
    if (!turn.taken()) return std::nullopt;
    Solver& mine = solver();
    return question(mine, limits.left_since(start));
  }
  // Nothing is known of any move where the turn did not come.
  MoveSolution solve_moves(const Position& position, const SolveLimits& limits = {}) {
    return ask(limits, [&](Solver& s, const SolveLimits& l) { return s.solve_moves(position, l); })
        .value_or(MoveSolution{});
  }
  std::vector<MoveSolution> solve_moves_of_all(std::span<const Position> positions) {
    return ask({}, [&](Solver& s, const SolveLimits& l) { return s.solve_moves_of_all(positions, l); }).value();
  }
  // Makes the solver now, which takes some milliseconds: before a clock runs.
  void prepare();

 private:
  // Holds the solver for one thread. taken() is false where the limits ended the wait.
  class Turn {
   public:
    Turn(SharedSolver& shared, const SolveLimits& limits, std::chrono::steady_clock::time_point start);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn();
    bool taken() const { return taken_; }

   private:
    SharedSolver& shared_;
    bool taken_;
  };

  Solver& solver();
  bool take(const SolveLimits& limits, std::chrono::steady_clock::time_point start);

  const SolverOptions options_;
  // A flag under a mutex and a condition variable, not a std::timed_mutex: GCC 12's thread sanitizer does not know the
  // call that locks one of those against a steady clock, and reports every unlock of it.
  std::mutex mutex_;
  std::condition_variable freed_;
  bool busy_ = false;             // guarded by mutex_
  std::optional<Solver> solver_;  // used by the thread whose turn it is
};

}  // namespace quarto
