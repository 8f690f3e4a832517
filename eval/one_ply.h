// The one-ply rule: win if you can, do not give a loser, do not place so that only losers are left to give. What it
// sets aside, a person sets aside after the first game; what it cannot tell apart needs thought. It is the floor that a
// measurement is read against (docs/measuring.md).
#pragma once

#include "env/position.h"

namespace quarto {

// The moves the rule chooses from, each as likely as the next; all legal moves where it has nothing to say. Never empty
// unless the position is terminal.
Mask one_ply_moves(const Position& position);

}  // namespace quarto
