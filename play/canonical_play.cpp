#include "play/canonical_play.h"

namespace quarto {

Move own_move(const CanonicalForm& form, Move move) {
  return apply(inverse(form.symmetry, form.position.rules()), move, form.position.rules());
}

CanonicalImages::CanonicalImages(std::span<const Position> originals) {
  for (const Position& p : originals) {
    forms.push_back(canonical_form(p));
    positions.push_back(forms.back().position);
  }
}

std::vector<RawOpinion> raw_opinions(Evaluator& evaluator, std::span<const Position> positions) {
  const CanonicalImages canonical(positions);
  const auto& [forms, images] = canonical;
  std::vector<Evaluation> evaluations(images.size());
  evaluate(evaluator, images, evaluations);
  std::vector<RawOpinion> opinions;
  for (std::size_t i = 0; i < images.size(); ++i) {
    opinions.push_back({evaluations[i], own_move(forms[i], likeliest_move(images[i], evaluations[i]))});
    RawOpinion& own = opinions.back();
    own.evaluation.prior.fill(0);
    for (const Move m : images[i].moves())
      own.evaluation.prior[own_move(forms[i], m).index] = evaluations[i].prior[m.index];
  }
  return opinions;
}

}  // namespace quarto
