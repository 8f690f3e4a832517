#include "env/stored_position.h"

namespace quarto {

const char* stored_position_fault(Rules rules, Bitboards attributes, Mask occupied, std::uint8_t hand) {
  if ((attributes & ~broadcast(occupied)) != 0) return "a piece's attributes on an empty square";
  if (hand >= kPieces && hand != kStoredNoHand) return "no such piece in hand";
  Mask seen = 0;
  for (const int s : BitsOf(occupied)) {
    unsigned there = 0;
    for (int a = 0; a < kAttributes; ++a) there |= (static_cast<unsigned>(bitboard(attributes, a)) >> s & 1U) << a;
    if (seen >> there & 1) return "a piece twice on the board";
    seen = static_cast<Mask>(seen | 1U << there);
  }
  if (hand != kStoredNoHand && (seen >> hand & 1)) return "the piece in hand is on the board";
  if (Position::from_parts(rules, attributes, occupied, false, piece(0)).is_terminal()) return "the game is over";
  return nullptr;
}

}  // namespace quarto
