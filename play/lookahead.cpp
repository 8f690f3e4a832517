#include "play/lookahead.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "env/random_play.h"
#include "play/shuffle.h"

namespace quarto {
namespace {

Value search(const Position& p, int plies, Value alpha, Value beta) {
  if (p.is_terminal()) return p.terminal_value();
  if (plies == 0) return Value::draw;
  if (p.has_hand()) {
    if (p.winning_squares(p.hand())) return Value::win;
    if (plies == 1) return Value::draw;
  } else {
    // A give is answered by a place, the second ply.
    if (plies >= 2 && p.losing_gives() == p.available()) return Value::loss;
    if (plies <= 2) return Value::draw;
  }
  Value best = Value::loss;
  for (const int m : BitsOf(p.has_hand() ? p.legal_moves() : quiet_moves(p))) {
    const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
    // After a place the same player is to act, after a give the other one.
    const Value v = p.has_hand() ? search(next, plies - 1, alpha, beta) : -search(next, plies - 1, -beta, -alpha);
    best = std::max(best, v);
    alpha = std::max(alpha, best);
    if (alpha >= beta) break;
  }
  return best;
}

}  // namespace

Value lookahead_value(const Position& position, int plies) { return search(position, plies, Value::loss, Value::win); }

Move lookahead_move(const Position& position, int plies, Rng& rng) {
  assert(plies >= 1 && !position.is_terminal());
  const std::vector<Move> order = shuffled(position, position.legal_moves(), rng);
  // In random order, the first of the best is a random one of them; the others need not be told apart.
  Move chosen = order.front();
  Value best = Value::loss;
  for (const Move m : order) {
    const Position next = position.after(m);
    const Value v =
        position.has_hand() ? search(next, plies - 1, best, Value::win) : -search(next, plies - 1, Value::loss, -best);
    if (v > best) {
      best = v;
      chosen = m;
    }
    if (best == Value::win) break;
  }
  return chosen;
}

}  // namespace quarto
