// solver: exact values by search, the transposition table, the opening book
// Uses: base, env.
// Promises: A value is proven, never estimated; when the limits end a search first, there is no value. Values do not
// depend on the table size, the thread count or the schedule.
//
// This header: the solver's interface. docs/solver.md explains the method.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "env/position.h"
#include "solver/book.h"

namespace quarto {

// The table cannot be allocated, or an option is invalid.
class SolverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Optimisations of the search (docs/solver.md). None changes a value. Switch them off to measure each (`quartozero
// bench solver --ablation`) and in tests.
struct SearchIdeas {
  // Boards with at least this many empty squares are stored in the table, 2 to 9. Smaller ones are searched again,
  // which is faster. Tests lower it so that small boards use the table.
  int table_from = 9;
  bool trim = true;          // lines that cannot be completed with the pieces left are dead
  bool idle_squares = true;  // squares on no live line are interchangeable
  bool alike_pieces = true;  // pieces that differ only in attributes without a live line are interchangeable
  bool symmetries = true;    // all images of a state have one name
  bool probe_first = true;   // look up all children before searching one
  bool order = true;         // replies with the fewest safe pieces first, pieces with the fewest replies first
};

struct SolverOptions {
  // Rounded down to whole buckets of 64 bytes, at least one. The system allocates the memory at its first use. What is
  // kept for distances() takes about as much again at most, and no more than a hundred million bytes.
  std::size_t table_bytes = std::size_t{256} << 20;
  int threads = 1;  // at least 1, including the caller's thread
  // Positions in the books need no search.
  Books books = {};
  // Stores full states in the table and counts hash collisions that would otherwise go unnoticed. Slow, and the same
  // memory holds a sixth of the entries.
  bool checked = false;
  SearchIdeas ideas = {};
};

// Progress that a running search writes, for display.
struct SolveProgress {
  std::atomic<std::uint64_t> nodes = 0;
  std::atomic<std::uint64_t> positions = 0;  // solved
};

struct SolveLimits {
  std::chrono::milliseconds time{0};        // 0 = none
  const std::atomic<bool>* stop = nullptr;  // any thread may set it; checked a few thousand times per second
  SolveProgress* progress = nullptr;

  // A time limit in seconds, rounded up to whole milliseconds; 0: none.
  static SolveLimits within(double seconds) {
    SolveLimits limits;
    limits.time = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
    return limits;
  }
  // What is left of these limits, whose time runs since `start`: a millisecond at least, because 0 is no limit.
  SolveLimits left_since(std::chrono::steady_clock::time_point start) const {
    SolveLimits left = *this;
    if (time.count() > 0) {
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(start + time - std::chrono::steady_clock::now());
      left.time = std::max(rest, std::chrono::milliseconds(1));
    }
    return left;
  }
};

struct TableUse {
  std::size_t bytes = 0;
  double fill = 0;  // share of the entries in use, 0..1
  // Counted only with SolverOptions::checked.
  std::uint64_t probes = 0, false_matches = 0;
};

struct SolveStats {
  std::uint64_t nodes = 0;  // boards at which the search chose a piece to give, over all threads
  double seconds = 0;       // wall clock
};

struct Solution {
  std::optional<Value> value;  // for the player to act; nullopt: not solved within the limits
  SolveStats stats;
};

struct MoveSolution {
  // By Move::index, for the player to act *before* the move. nullopt for illegal moves and for moves not solved within
  // the limits.
  std::array<std::optional<Value>, kMoves> values;
  // The value of the best move; for a finished game the terminal value. It may be known (a move wins, or a
  // book has the position) before the values of all moves are.
  std::optional<Value> value;
  SolveStats stats;

  // The moves that are known to keep the value, which must be known.
  Mask keeping() const {
    Mask moves = 0;
    for (int m = 0; m < kMoves; ++m) {
      if (values[static_cast<std::size_t>(m)] == value) moves |= static_cast<Mask>(1U << m);
    }
    return moves;
  }
};

// How far a won or lost position is from its end when the winner hurries and the loser delays, in placements: those of
// both players from now on, the move itself and the one that completes the line included. Gives are not counted. So a
// square that completes a line wins in 1, and giving a piece that completes one loses in 1.
struct MoveDistances {
  // By Move::index. nullopt for illegal and drawn moves, and for those not found within the limits.
  std::array<std::optional<int>, kMoves> placements;
  // Of the best move: the shortest win or the longest loss. nullopt for a draw, and as long as it is not known.
  std::optional<int> best;
  bool complete = true;  // the values were known of all moves, and the distances of all that win or lose were found
  SolveStats stats;
};

// The first move, by index, that keeps the position's value; nullopt if no such move is known or the game is over.
std::optional<Move> first_keeping_move(const Position& position, const MoveSolution& solution);

// Not thread-safe, except table_use(); a call uses options.threads threads itself. The table is kept between calls,
// also between calls with different rules, so related positions are solved faster.
class Solver {
 public:
  explicit Solver(const SolverOptions& options = {});  // throws SolverError
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  Solution solve(const Position& position, const SolveLimits& limits = {});
  MoveSolution solve_moves(const Position& position, const SolveLimits& limits = {});

  // The distances of a position's moves, from their values as solve_moves() has found them. One thread. The short ones
  // are found first, so a limit cuts off the long ones. With 11 empty squares they take half a second at most, with 12
  // up to ten.
  MoveDistances distances(const Position& position, const MoveSolution& solution, const SolveLimits& limits = {});
  // MoveDistances::best alone, without the values; 0 for a finished game that was won.
  std::optional<int> distance(const Position& position, const SolveLimits& limits = {});

  // Solves many positions, distributed over the threads: the fastest way for many positions. All must have the same
  // rules (SolverError otherwise). Returns one value for each, in order, without statistics. The time limit is for all
  // together.
  std::vector<std::optional<Value>> solve_all(std::span<const Position> positions, const SolveLimits& limits = {});
  std::vector<MoveSolution> solve_moves_of_all(std::span<const Position> positions, const SolveLimits& limits = {});

  // Clears the table and what is kept for distances, for measurements.
  void clear();
  TableUse table_use() const;  // from any thread, also during a search

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// solve_moves() and then distances(), which get what is left of the time.
std::pair<MoveSolution, MoveDistances> solve_with_distances(Solver& solver, const Position& position,
                                                            const SolveLimits& limits = {});

}  // namespace quarto
