// Random material shared by the tests.
#pragma once

#include "base/random.h"
#include "env/position.h"

namespace quarto {

inline int random_bit(Mask mask, Rng& rng) {
  auto skip = rng.below(static_cast<std::uint64_t>(std::popcount(mask)));
  for (const int i : BitsOf(mask)) {
    if (skip-- == 0) return i;
  }
  return -1;
}

inline Move random_move(const Position& p, Rng& rng) {
  return {p.phase(), static_cast<std::uint8_t>(random_bit(p.legal_moves(), rng))};
}

// A position that is not over, reached by `plies` random moves (gives and places) that avoid ending the game where
// they can.
inline Position random_position_at(int plies, Rng& rng, Rules rules = Rules::lines) {
  while (true) {
    Position p(rules);
    while (p.ply() < plies && !p.is_terminal()) {
      Mask moves = p.legal_moves();
      const Mask bad = p.has_hand() ? p.winning_squares(p.hand()) : p.losing_gives();
      if (moves & ~bad) moves = static_cast<Mask>(moves & ~bad);
      p.play({p.phase(), static_cast<std::uint8_t>(random_bit(moves, rng))});
    }
    if (!p.is_terminal()) return p;
  }
}

// Any ply from 0 to 27.
inline Position random_position(Rng& rng, Rules rules = Rules::lines) {
  return random_position_at(static_cast<int>(rng.below(28)), rng, rules);
}

}  // namespace quarto
