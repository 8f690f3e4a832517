// A hint: what a player who asks is told to play.
#pragma once

#include "play/choose.h"

namespace quarto {

struct Hint {
  Choice choice{};
  int alike = 0;  // of an exact choice: moves that keep the value, this one included
};

// choose(), but of an exact choice among the moves that keep the value: one that wins at once, else the one that the
// raw network finds likeliest, in the order of the canonical image among equals. So images of a position get images of
// the hint. Throws what choose() throws.
Hint hint(Evaluator& evaluator, SharedSolver* solver, const Position& position, const ChoiceLimits& limits = {});

}  // namespace quarto
