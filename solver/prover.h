// The solver's search with a limit on nodes, as a prover for a tree search (env/prover.h).
#pragma once

#include <memory>

#include "env/prover.h"

namespace quarto {

// A prover for a search that spends so many nodes on a question, at least 1. A table, whose size goes with the nodes,
// keeps boards with at least seven empty squares until forget(). Throws SolverError if the table cannot be
// allocated.
// Thread-safe.
std::unique_ptr<Prover> make_prover(int nodes);

}  // namespace quarto
