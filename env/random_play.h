// Random play: the positions on which things are tested, measured and labelled.
#pragma once

#include <vector>

#include "base/random.h"
#include "env/position.h"

namespace quarto {

// One of the set bits, each as likely as the next; the mask must not be empty.
inline int random_bit(Mask mask, Rng& rng) {
  auto skip = rng.below(static_cast<std::uint64_t>(std::popcount(mask)));
  for (; skip > 0; --skip) mask = static_cast<Mask>(mask & (mask - 1));
  return std::countr_zero(mask);
}

// The position must not be terminal.
inline Move random_move(const Position& position, Rng& rng) {
  return {position.phase(), static_cast<std::uint8_t>(random_bit(position.legal_moves(), rng))};
}

// The moves that leave the game going: places that do not win, gives with which the opponent cannot win at once. May be
// empty.
Mask quiet_moves(const Position& position);

// A position that is not over after `plies` gives and places (0..31) by random quiet moves; where there are none, by
// any.
Position random_position_at(int plies, Rng& rng, Rules rules = Rules::lines);

// The same by any legal moves; games that end earlier are begun anew.
Position random_careless_position_at(int plies, Rng& rng, Rules rules = Rules::lines);

// As the first, and quiet itself: nothing but quiet moves have led there, and a piece in hand does not win at once.
Position random_quiet_position_at(int plies, Rng& rng, Rules rules = Rules::lines);

// random_careless_position_at() with up to 29 plies, each number as likely as the others.
Position unfinished_position(Rng& rng, Rules rules);
// Of these. The same seed gives the same positions.
std::vector<Position> unfinished_positions(int n, Rules rules, std::uint64_t seed);

}  // namespace quarto
