// Positions as files store them: four bitboards, the occupied squares, and a byte for the piece in hand.
#pragma once

#include <cstdint>

#include "env/position.h"

namespace quarto {

inline constexpr std::uint8_t kStoredNoHand = 0xFF;

// What is wrong with the parts of a position that comes from outside; null if it is one in which somebody is to act:
// attributes on occupied squares only, no piece twice, nobody has won, and an empty square is left.
const char* stored_position_fault(Rules rules, Bitboards attributes, Mask occupied, std::uint8_t hand);

// The position of such parts; undefined for others.
inline Position stored_position(Rules rules, Bitboards attributes, Mask occupied, std::uint8_t hand) {
  const bool has_hand = hand != kStoredNoHand;
  return Position::from_parts(rules, attributes, occupied, has_hand, piece(has_hand ? hand : 0));
}

}  // namespace quarto
