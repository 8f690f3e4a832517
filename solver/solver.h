// solver: exact values by search to the end of the game, and suites of positions with exact values. Uses base and env.
// Promises: a value it returns is proven, never estimated; when the limits end a search first, there is no value. The
// values are the same for any table size, thread count and schedule.
//
// This header: the solver itself. How it works is told in docs/solver.md, from the rules up.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>

#include "env/position.h"

namespace quarto {

// A table that cannot be allocated, or options that make no sense.
class SolverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SolverOptions {
  // Rounded down to whole buckets of 64 bytes; at least one. Memory is taken from the system as it is first used.
  std::size_t table_bytes = std::size_t{256} << 20;
  int threads = 1;  // >= 1, the caller's thread included
  // Boards with at least this many empty squares are kept in the table, 2 to 7; smaller ones are solved anew, which is
  // faster. Changes no value; tests lower it so that small boards exercise everything.
  int table_from = 7;
};

struct SolveLimits {
  std::chrono::milliseconds time{0};            // 0 = none
  const std::atomic<bool>* stop = nullptr;      // set by anyone, looked at a few thousand times a second
  std::atomic<std::uint64_t>* nodes = nullptr;  // counts up while searching, for showing progress
};

struct SolveStats {
  std::uint64_t nodes = 0;  // boards at which a piece to give was looked for, over all threads
  double seconds = 0;       // wall clock
};

struct Solution {
  std::optional<Value> value;  // for the player to act; nullopt: not solved within the limits
  SolveStats stats;
};

struct MoveSolution {
  // Legal moves only, by Move::index, for the player to act *before* the move. Those not solved within the limits
  // are nullopt like the illegal ones.
  std::array<std::optional<Value>, kMoves> values;
  // The best move's value; a finished game has its terminal value and no moves. May be known (a move wins) when not
  // all moves are.
  std::optional<Value> value;
  SolveStats stats;
};

// Not safe to call from several threads at once; uses options.threads threads itself. The table is kept between calls,
// also between calls with different rules, so that solving related positions is cheap.
class Solver {
 public:
  explicit Solver(const SolverOptions& options = {});  // throws SolverError
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  Solution solve(const Position& position, const SolveLimits& limits = {});
  MoveSolution solve_moves(const Position& position, const SolveLimits& limits = {});

  // Forgets everything found so far: for measuring.
  void clear();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
