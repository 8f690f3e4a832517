#include "play/hint.h"

#include "env/canonical.h"

namespace quarto {

Hint hint(Evaluator& evaluator, SharedSolver* solver, const Position& position, const ChoiceLimits& limits) {
  Hint hint{choose(evaluator, solver, position, limits)};
  if (hint.choice.by != ChosenBy::exact) return hint;
  const CanonicalForm form = canonical_form(position);
  const Symmetry back = inverse(form.symmetry, position.rules());
  Evaluation opinion;
  evaluate(evaluator, {&form.position, 1}, {&opinion, 1});
  const Mask winning = form.position.has_hand() ? form.position.winning_squares(form.position.hand()) : Mask{0};
  std::optional<Move> best;
  const auto rank = [&](Move m) { return ((winning >> m.index) & 1U ? 2 : 0) + opinion.prior[m.index]; };
  for (const Move m : form.position.moves()) {
    const Move own = apply(back, m, position.rules());
    if (hint.choice.exact->values[own.index] != hint.choice.proven) continue;
    ++hint.alike;
    if (!best || rank(m) > rank(*best)) best = m;
  }
  hint.choice.move = apply(back, best.value(), position.rules());
  return hint;
}

}  // namespace quarto
