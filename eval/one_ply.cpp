#include "eval/one_ply.h"

namespace quarto {

Mask one_ply_moves(const Position& position) {
  const Mask legal = position.legal_moves();
  if (legal == 0) return 0;
  Mask kept = 0;
  if (position.has_hand()) {
    if (const Mask winning = position.winning_squares(position.hand())) return winning;
    for (const int s : BitsOf(legal)) {
      const Position next = position.after(Move::place(square(s)));
      if (next.available() == 0 || next.losing_gives() != next.available()) kept |= bit(square(s));
    }
  } else {
    kept = static_cast<Mask>(legal & ~position.losing_gives());
  }
  return kept ? kept : legal;
}

}  // namespace quarto
