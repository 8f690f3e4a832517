// solver: exact values by search, the transposition table, the opening book
// Uses: base, env.
// Promises: A value is proven, never estimated; when the limits end a search first, there is no value. Values do not
// depend on the table size, the thread count or the schedule.
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
#include <span>
#include <stdexcept>
#include <vector>

#include "env/position.h"

namespace quarto {

class Book;  // solver/book.h

// A table that cannot be allocated, or options that make no sense.
class SolverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The ideas that make the search fast (docs/solver.md). None changes a value: they can be switched off to see what each
// brings (`quartozero bench solver --ablation`) and for tests.
struct SearchIdeas {
  // Boards with at least this many empty squares are kept in the table, 2 to 7; smaller ones are solved anew, which is
  // faster. Tests lower it so that small boards exercise everything.
  int table_from = 7;
  bool trim = true;          // lines that cannot be completed with the pieces left are dead
  bool idle_squares = true;  // squares on no live line are interchangeable
  bool alike_pieces = true;  // pieces that differ only in attributes without a live line are, too
  bool symmetries = true;    // images share one name
  bool probe_first = true;   // all children are looked up before one is searched
  bool order = true;         // replies that leave the fewest safe pieces first, pieces with the fewest replies first
};

struct SolverOptions {
  // Rounded down to whole buckets of 64 bytes; at least one. Memory is taken from the system as it is first used.
  std::size_t table_bytes = std::size_t{256} << 20;
  int threads = 1;  // >= 1, the caller's thread included
  // Answers what it holds without a search. Null: everything is searched.
  std::shared_ptr<const Book> book = nullptr;
  // Keeps the full states in the table and counts the hash collisions that would have gone unnoticed. Slow, and the
  // same memory holds a sixth of the entries.
  bool checked = false;
  SearchIdeas ideas = {};
};

// Written while a search runs, for whoever shows it.
struct SolveProgress {
  std::atomic<std::uint64_t> nodes = 0;
  std::atomic<std::uint64_t> positions = 0;  // solved
};

struct SolveLimits {
  std::chrono::milliseconds time{0};        // 0 = none
  const std::atomic<bool>* stop = nullptr;  // set by anyone, looked at a few thousand times a second
  SolveProgress* progress = nullptr;

  // A time limit in seconds, rounded up to whole milliseconds; 0: none.
  static SolveLimits within(double seconds) {
    SolveLimits limits;
    limits.time = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
    return limits;
  }
};

struct TableUse {
  std::size_t bytes = 0;
  double fill = 0;  // share of the entries in use, 0..1
  // Counted only with SolverOptions::checked.
  std::uint64_t probes = 0, false_matches = 0;
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

// The first move, by index, that keeps the position's value; nullopt if none is known to, or the game is over.
std::optional<Move> first_keeping_move(const Position& position, const MoveSolution& solution);

// Not safe to call from several threads at once, table_use() excepted; uses options.threads threads itself. The table
// is kept between calls, also between calls with different rules, so that solving related positions is cheap.
class Solver {
 public:
  explicit Solver(const SolverOptions& options = {});  // throws SolverError
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  Solution solve(const Position& position, const SolveLimits& limits = {});
  MoveSolution solve_moves(const Position& position, const SolveLimits& limits = {});

  // Many positions under the same rules (SolverError otherwise), dealt out to the threads: the fastest way to solve
  // many. One result for each, in order, without statistics; the time limit is for all together.
  std::vector<std::optional<Value>> solve_all(std::span<const Position> positions, const SolveLimits& limits = {});
  std::vector<MoveSolution> solve_moves_of_all(std::span<const Position> positions, const SolveLimits& limits = {});

  // Forgets everything found so far: for measuring.
  void clear();
  TableUse table_use() const;  // from any thread, also during a search

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
