// The slow, obviously right solver that the fast one is compared with: the rules as env has them, every move tried, no
// table, no symmetry, no order. Good for up to seven or eight empty squares.
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "env/position.h"

namespace quarto::reference {

// For the player to act.
inline Value value(const Position& position) {
  if (position.is_terminal()) return position.terminal_value();
  Value best = Value::loss;
  for (const int m : BitsOf(position.legal_moves())) {
    const Value next = value(position.after({position.phase(), static_cast<std::uint8_t>(m)}));
    // The player who places gives next; the player who gives hands the turn over.
    best = std::max(best, position.phase() == Phase::place ? next : -next, [](Value a, Value b) { return a < b; });
    if (best == Value::win) break;
  }
  return best;
}

inline std::array<std::optional<Value>, kMoves> move_values(const Position& position) {
  std::array<std::optional<Value>, kMoves> values;
  for (const int m : BitsOf(position.legal_moves())) {
    const Value next = value(position.after({position.phase(), static_cast<std::uint8_t>(m)}));
    values[static_cast<std::size_t>(m)] = position.phase() == Phase::place ? next : -next;
  }
  return values;
}

}  // namespace quarto::reference
