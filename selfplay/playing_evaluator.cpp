#include "selfplay/playing_evaluator.h"

#include "base/random.h"

namespace quarto {

std::uint64_t playing_seed(std::uint64_t run_seed, std::uint64_t version) {
  return mix_seed(run_seed, 0x5EED + version);
}

PlayingEvaluator::PlayingEvaluator(std::unique_ptr<Evaluator> network, const SelfPlayConfig& config,
                                   std::uint64_t symmetry_seed)
    : network_(std::move(network)), top_(network_.get()) {
  const bool equivariant = network_->traits().equivariant;
  if (config.random_symmetry && !equivariant) {
    symmetry_ = std::make_unique<SymmetryEvaluator>(*top_, symmetry_seed);
    top_ = symmetry_.get();
  }
  if (config.cache > 0) {
    cache_ =
        std::make_unique<CacheEvaluator>(*top_, static_cast<std::size_t>(config.cache),
                                         equivariant ? CacheEvaluator::Key::canonical : CacheEvaluator::Key::position);
    top_ = cache_.get();
  }
}

}  // namespace quarto
