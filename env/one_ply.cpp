#include "env/one_ply.h"

namespace quarto {

Mask safe_moves(const Position& position) {
  const Mask legal = position.legal_moves();
  if (legal == 0 || !position.has_hand()) return static_cast<Mask>(legal & ~position.losing_gives());
  Mask safe = position.winning_squares(position.hand());
  for (const int s : BitsOf(static_cast<Mask>(legal & ~safe))) {
    const Position next = position.after(Move::place(square(s)));
    if (next.available() == 0 || next.losing_gives() != next.available()) safe |= bit(square(s));
  }
  return safe;
}

Mask one_ply_moves(const Position& position) {
  if (position.is_terminal()) return 0;
  if (position.has_hand()) {
    if (const Mask winning = position.winning_squares(position.hand())) return winning;
  }
  const Mask safe = safe_moves(position);
  return safe ? safe : position.legal_moves();
}

}  // namespace quarto
