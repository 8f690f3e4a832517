// Moves in random order.
#pragma once

#include <utility>
#include <vector>

#include "base/random.h"
#include "env/position.h"

namespace quarto {

// The moves of `among`, a set of legal moves of the position, every order as likely as the next.
inline std::vector<Move> shuffled(const Position& position, Mask among, Rng& rng) {
  std::vector<Move> order;
  for (const int m : BitsOf(among)) order.push_back({position.phase(), static_cast<std::uint8_t>(m)});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

}  // namespace quarto
