// An evaluator by random playouts that take wins and avoid gives that lose at once. The baseline for learned
// evaluators. (The `rollout:N` player of play/ runs its own plain tree search over the same playouts.)
//
// Prior: equal over the moves the same rule of thumb allows (winning squares if there are any; safe gives if there are
// any). Value: the outcomes of `rollouts` playouts. The playouts of a position depend on the seed and the position
// alone, so that the order of questions, threads and caches do not matter. Answers are known at once.
#pragma once

#include <cstdint>
#include <memory>

#include "base/random.h"
#include "env/evaluator.h"

namespace quarto {

// Thread-safe.
class RolloutEvaluator final : public Evaluator {
 public:
  // rollouts >= 1 (std::invalid_argument otherwise).
  RolloutEvaluator(int rollouts, std::uint64_t seed);
  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override { return {.equivariant = false, .batch_invariant = true}; }

 private:
  int rollouts_;
  std::uint64_t seed_;
};

// The moves that the rule of thumb allows: never none while there are legal moves.
Mask sensible_moves(const Position& position);
// Plays the position, which may be terminal, to its end by random sensible moves. The outcome is for the player to act
// in `position`.
Value play_out(Position position, Rng& rng);

}  // namespace quarto
