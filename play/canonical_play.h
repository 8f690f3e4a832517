// Asking about the canonical image of a position in place of the position: then images of a position get images of the
// move, whoever is asked.
#pragma once

#include <span>
#include <vector>

#include "env/canonical.h"
#include "env/evaluator.h"

namespace quarto {

// A move in form.position, as the move in the position that has this form.
Move own_move(const CanonicalForm& form, Move move);

// The canonical forms of these positions, and their representatives side by side, for asking about all at once.
struct CanonicalImages {
  explicit CanonicalImages(std::span<const Position> positions);
  std::vector<CanonicalForm> forms;
  std::vector<Position> positions;
};

// What the raw network says of a position's canonical image, in the position's own terms.
struct RawOpinion {
  Evaluation evaluation;
  Move likeliest;  // likeliest_move() of the image: among equals its first, which need not be the position's first
};
// In one batch. None may be terminal.
std::vector<RawOpinion> raw_opinions(Evaluator& evaluator, std::span<const Position> positions);

}  // namespace quarto
