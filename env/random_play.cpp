#include "env/random_play.h"

namespace quarto {

Mask quiet_moves(const Position& position) {
  const Mask loud = position.has_hand() ? position.winning_squares(position.hand()) : position.losing_gives();
  return static_cast<Mask>(position.legal_moves() & ~loud);
}

Position random_position_at(int plies, Rng& rng, Rules rules) {
  while (true) {
    Position p(rules);
    while (p.ply() < plies && !p.is_terminal()) {
      const Mask quiet = quiet_moves(p);
      p.play({p.phase(), static_cast<std::uint8_t>(random_bit(quiet ? quiet : p.legal_moves(), rng))});
    }
    if (!p.is_terminal()) return p;
  }
}

Position random_careless_position_at(int plies, Rng& rng, Rules rules) {
  while (true) {
    Position p(rules);
    while (p.ply() < plies && !p.is_terminal()) p.play(random_move(p, rng));
    if (!p.is_terminal()) return p;
  }
}

Position random_quiet_position_at(int plies, Rng& rng, Rules rules) {
  while (true) {
    Position p(rules);
    while (p.ply() < plies) {
      const Mask quiet = quiet_moves(p);
      if (quiet == 0) break;
      p.play({p.phase(), static_cast<std::uint8_t>(random_bit(quiet, rng))});
    }
    if (p.ply() == plies && !(p.has_hand() && p.winning_squares(p.hand()))) return p;
  }
}

Position unfinished_position(Rng& rng, Rules rules) {
  constexpr std::uint64_t kPlies = 30;
  const int plies = static_cast<int>(rng.below(kPlies));
  return random_careless_position_at(plies, rng, rules);
}

std::vector<Position> unfinished_positions(int n, Rules rules, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Position> positions;
  for (int i = 0; i < n; ++i) positions.push_back(unfinished_position(rng, rules));
  return positions;
}

}  // namespace quarto
