// The evaluator used in self-play: network, random symmetry (unless the network is equivariant), cache.
#pragma once

#include <memory>

#include "selfplay/config.h"
#include "selfplay/decorators.h"

namespace quarto {

// The seed of the random images in games that are played with this version of the weights: a number of iterations.
std::uint64_t playing_seed(std::uint64_t run_seed, std::uint64_t version);

// Thread-safe. Owns the evaluators that it wraps.
class PlayingEvaluator final : public Evaluator {
 public:
  // For so many threads. `symmetry_seed` seeds the choice of the random images.
  PlayingEvaluator(std::unique_ptr<Evaluator> network, const SelfPlayConfig& config, int threads,
                   std::uint64_t symmetry_seed);
  std::unique_ptr<EvaluationBatch> new_batch() override { return top_->new_batch(); }
  std::unique_ptr<ProofBatch> new_proofs() override { return network_->new_proofs(); }
  EvaluatorTraits traits() const override { return top_->traits(); }
  void begin_thread() override { network_->begin_thread(); }
  std::string computed_by() const override { return network_->computed_by(); }

 private:
  std::unique_ptr<Evaluator> network_, symmetry_, cache_;
  Evaluator* top_;
};

}  // namespace quarto
