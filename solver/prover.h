// The solver's endgame search with a limit on nodes, as a prover for a tree search (env/prover.h).
#pragma once

#include "env/prover.h"

namespace quarto {

// To be counted up when an answer changes: players that prove are then others (proofs_of()).
inline constexpr int kProverVersion = 1;

// Its nodes are boards at which a piece is given. It keeps nothing.
const Prover& solver_prover();

// What it answers, and the nodes that it took. Thread-safe.
struct Proof {
  ValueBounds bounds;
  std::uint64_t nodes = 0;
};
Proof prove(const Position& position, std::uint64_t nodes, ValueBounds known = {});

}  // namespace quarto
