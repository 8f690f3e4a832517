#include "solver/prover.h"

#include <optional>

#include "solver/endgame.h"

namespace quarto {
namespace {

using solver::endgame;
using solver::Geometry;
using solver::Goal;
using solver::kManyEmpty;
using solver::Limited;
using solver::State;

// The questions about one position.
template <Rules kRules>
class Asked {
 public:
  explicit Asked(const Position& position)
      : state_(State<kRules>::of(position)),
        hand_(position.has_hand() ? std::optional(position.hand()) : std::nullopt),
        wins_at_once_(hand_ && position.winning_squares(*hand_) != 0) {}

  Proof answer(std::uint64_t nodes, ValueBounds known) const {
    Proof proof{known};
    if (known.exact()) return proof;
    if (known.low == Value::loss) {
      const auto holds = reaches(Goal::draw, nodes, proof.nodes);
      if (!holds) return proof;
      if (!*holds) return {ValueBounds::exactly(Value::loss), proof.nodes};
      proof.bounds.low = Value::draw;
    }
    if (known.high == Value::win) {
      if (const auto wins = reaches(Goal::win, nodes, proof.nodes))
        proof.bounds = ValueBounds::exactly(*wins ? Value::win : Value::draw);
    }
    return proof;
  }

 private:
  // Nothing, if the nodes do not suffice.
  std::optional<bool> reaches(Goal goal, std::uint64_t nodes, std::uint64_t& used) const {
    if (wins_at_once_) return true;
    if (state_.left == 0 || state_.dead()) return goal == Goal::draw;
    const Geometry<kRules>& geometry = Geometry<kRules>::get();
    Limited budget{.limit = nodes};
    bool reached = false;
    if (hand_) {
      reached = endgame<kManyEmpty>(state_, *hand_, goal, geometry, budget);
    } else if (const Mask safe = state_.safe()) {
      reached = endgame<kManyEmpty>(state_, safe, goal, geometry, budget);
    }
    used += budget.nodes;
    return budget.exhausted() ? std::nullopt : std::optional(reached);
  }

  State<kRules> state_;
  std::optional<Piece> hand_;
  bool wins_at_once_;
};

class SolverProver final : public Prover {
 public:
  using Prover::bounds;
  ValueBounds bounds(const Position& position, std::uint64_t nodes, ValueBounds known) const override {
    return prove(position, nodes, known).bounds;
  }
};

}  // namespace

Proof prove(const Position& position, std::uint64_t nodes, ValueBounds known) {
  return with_rules(position.rules(), [&](auto rules) { return Asked<rules()>(position).answer(nodes, known); });
}

const Prover& solver_prover() {
  static const SolverProver prover;
  return prover;
}

}  // namespace quarto
