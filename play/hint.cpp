#include "play/hint.h"

#include "play/canonical_play.h"

namespace quarto {

Hint hint(Evaluator& evaluator, SharedSolver* solver, const Position& position, const ChoiceLimits& limits) {
  Hint hint{choose(evaluator, solver, position, limits)};
  if (hint.choice.by != ChosenBy::exact) return hint;
  const CanonicalForm form = canonical_form(position);
  Evaluation opinion;
  evaluate(evaluator, {&form.position, 1}, {&opinion, 1});
  const Mask winning = form.position.has_hand() ? form.position.winning_squares(form.position.hand()) : Mask{0};
  std::optional<Move> best;
  const auto rank = [&](Move m) { return ((winning >> m.index) & 1U ? 2 : 0) + opinion.prior[m.index]; };
  for (const Move m : form.position.moves()) {
    const Move own = own_move(form, m);
    if (hint.choice.exact->values[own.index] != hint.choice.proven) continue;
    ++hint.alike;
    if (!best || rank(m) > rank(*best)) best = m;
  }
  hint.choice.move = own_move(form, best.value());
  return hint;
}

}  // namespace quarto
