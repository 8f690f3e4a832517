#include "solver/facts.h"

#include <algorithm>
#include <unordered_map>

#include "env/canonical.h"

namespace quarto {

Outcomes count_outcomes(std::span<const Value> values) {
  Outcomes outcomes;
  for (const Value v : values) ++(v == Value::win ? outcomes.win : v == Value::draw ? outcomes.draw : outcomes.loss);
  return outcomes;
}

bool wins_at_once(const Position& position) {
  return !position.is_terminal() && position.has_hand() && position.winning_squares(position.hand()) != 0;
}

std::vector<Value> back_up(std::span<const Position> ply, std::span<const Position> later,
                           std::span<const Value> values) {
  std::unordered_map<CanonicalKey, Value> known;
  for (std::size_t i = 0; i < later.size(); ++i) known.emplace(canonical_key(later[i]), values[i]);
  std::vector<Value> backed_up;
  for (const Position& p : ply) {
    Value best = p.is_terminal() ? p.terminal_value() : Value::loss;
    for (const Move m : p.moves()) {
      const Value after = known.at(canonical_key(p.after(m)));
      best = std::max(best, p.phase() == Phase::give ? -after : after);
    }
    backed_up.push_back(best);
  }
  return backed_up;
}

}  // namespace quarto
