// Whether a line is complete, the obvious way.
#pragma once

#include <vector>

#include "env/position.h"

namespace quarto {

// Every set of squares that wins, every attribute, both polarities.
inline bool slow_has_quarto(const Position& p, const std::vector<Mask>& sets) {
  for (const Mask set : sets) {
    if ((p.occupied() & set) != set) continue;
    int all = kPieces - 1, any = 0;
    for (const int s : BitsOf(set)) {
      all &= index(p.piece_at(square(s)));
      any |= index(p.piece_at(square(s)));
    }
    if (all != 0 || any != kPieces - 1) return true;
  }
  return false;
}

}  // namespace quarto
