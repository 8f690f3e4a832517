// Positions as bytes that travel: 8 attributes, 2 occupied squares, 1 piece in hand or kStoredNoHand
// (env/stored_position.h), little-endian.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"

namespace quarto {

inline constexpr std::size_t kPositionBytes = 11;

std::string position_bytes(std::span<const Position> positions);
// Throws std::runtime_error for bytes that are not positions of these rules in which somebody is to act.
std::vector<Position> positions_of_bytes(std::string_view bytes, Rules rules);

}  // namespace quarto
