// The strangler: a heuristic player. It leaves the opponent as little air as it can: few places for a piece after which
// he still has a piece to give.
//
// A situation is a board and what the opponent may be handed: with a piece in hand, that piece; before a give, every
// piece with which he could not win at once. Its *pairs* are (piece, empty square). A pair is
//
//     safe     if, the piece placed there, some piece is left to give that does not lose at once, or the board is full;
//     a trap   if every piece left to give then loses at once.
//
// Both look alike to a player who sees only that the placement completes nothing. A situation without safe pairs for
// some piece is decided: the opponent, handed that piece, is strangled.
//
//     value = -(safe weight) * (safe pairs) - (traps weight) * (traps)
//
// for the player who has just left the opponent that situation. Before a give that is the player to act, after it the
// other one: the sign changes across the give and not across the place. Only values of the same ply are ever compared,
// and a game ends in a draw at one ply only, so values need no common zero with draws.
#pragma once

#include <cstdint>
#include <memory>

#include "base/fields.h"
#include "base/random.h"
#include "env/position.h"
#include "solver/solver.h"

namespace quarto {

struct PairCounts {
  int safe = 0, traps = 0;
  // Some piece that the opponent may be handed has traps only: whoever left him the situation wins.
  bool strangled = false;
  friend bool operator==(const PairCounts&, const PairCounts&) = default;
};

// The position must not be terminal, its piece in hand must not win at once, and before a give some piece must not lose
// at once: otherwise the game is decided and pairs mean nothing.
PairCounts count_pairs(const Position& position);

struct StranglerOptions {
  // Positions looked at for one move, and plies to look ahead at most, whichever ends the search first. The first ply
  // is always looked at whole.
  int nodes = 50'000;
  int depth = 32;
  // Only the ratio of the two matters, and the sign of what it multiplies.
  double safe = 2.21, traps = 0.37;
  // With at most so many empty squares, moves are chosen by exact values instead; 0 for never.
  int exact = 9;

  void visit(FieldVisitor& v);
};

// The value for the player to act; what count_pairs requires is required.
double strangler_value(const Position& position, const StranglerOptions& options);

// Iterative deepening alpha-beta with a transposition table over that value. Deterministic: the same generator state
// gives the same move, whatever was asked before. Not thread-safe.
class Strangler {
 public:
  // `table_bytes` is for the exact values; the table of the search comes on top: 24 bytes for each of the nodes,
  // rounded up to a power of two, at most 24 MiB.
  Strangler(const StranglerOptions& options, std::size_t table_bytes);
  ~Strangler();
  Strangler(Strangler&&) noexcept;
  Strangler& operator=(Strangler&&) noexcept;

  // Wins at once if it can and gives no loser if it need not. Ties go at random. The position must not be terminal.
  Move choose(const Position& position, Rng& rng);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
