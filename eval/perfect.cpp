#include "eval/perfect.h"

#include <optional>

namespace quarto {

bool drawn_by_known_facts(const Position& position) {
  const int pieces_after = position.pieces_on_board() + (position.has_hand() ? 1 : 0);
  return position.rules() == Rules::lines && pieces_after <= 3;
}

PerfectPlayer::PerfectPlayer(const PlayerOptions& options)
    : solver_({.table_bytes = options.table_bytes, .threads = options.threads}), rng_(mix_seed(options.seed, 0x9EFEC7)) {}

Value PerfectPlayer::value(const Position& position) {
  if (position.is_terminal()) return position.terminal_value();
  const CanonicalKey key = canonical_key(position);
  if (const auto at = known_.find(key); at != known_.end()) return at->second;
  // Without limits the solver always answers.
  const Value found = solver_.solve(position).value.value();
  known_.emplace(key, found);
  return found;
}

Move PerfectPlayer::choose_one(const Position& position) {
  Mask candidates = position.legal_moves();
  const bool placing = position.has_hand();
  if (placing) {
    if (const Mask winning = position.winning_squares(position.hand())) candidates = winning;
  }
  std::vector<Move> order;
  for (const int m : BitsOf(candidates)) order.push_back({position.phase(), static_cast<std::uint8_t>(m)});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng_.below(i)]);
  const bool wins_at_once = placing && candidates != position.legal_moves();
  if (order.size() == 1 || wins_at_once || drawn_by_known_facts(position)) return order.front();

  // In random order, the first move that keeps the value is a random one of those that do. With three pieces down and
  // one in hand the value is a draw at most, which saves solving the largest position of all.
  const bool at_most_draw = position.rules() == Rules::lines && placing && position.pieces_on_board() == 3;
  const Value wanted = at_most_draw ? Value::draw : value(position);
  for (const Move m : order) {
    const Position next = position.after(m);
    const Value reached = placing ? value(next) : -value(next);
    if (reached >= wanted) return m;
  }
  return order.front();
}

std::vector<Move> PerfectPlayer::choose(std::span<const Position> positions) {
  std::vector<Move> moves;
  for (const Position& p : positions) moves.push_back(choose_one(p));
  return moves;
}

}  // namespace quarto
