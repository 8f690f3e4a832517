#include "selfplay/playing_evaluator.h"

#include "base/memory.h"
#include "base/random.h"

namespace quarto {
namespace {

constexpr std::size_t kMemoryIfUnknown = std::size_t{1} << 30;

}  // namespace

std::uint64_t playing_seed(std::uint64_t run_seed, std::uint64_t version) {
  return mix_seed(run_seed, 0x5EED + version);
}

PlayingEvaluator::PlayingEvaluator(std::unique_ptr<Evaluator> network, const SelfPlayConfig& config, int threads,
                                   std::uint64_t symmetry_seed)
    : network_(std::move(network)), top_(network_.get()) {
  const bool equivariant = network_->traits().equivariant;
  if (config.random_symmetry && !equivariant) {
    symmetry_ = std::make_unique<SymmetryEvaluator>(*top_, symmetry_seed);
    top_ = symmetry_.get();
  }
  if (config.cache != 0) {
    const auto memory = system_memory();
    const std::size_t entries = config.cache > 0
                                    ? static_cast<std::size_t>(config.cache)
                                    : cache_entries(threads, memory ? memory->available : kMemoryIfUnknown);
    cache_ = std::make_unique<CacheEvaluator>(
        *top_, entries, equivariant ? CacheEvaluator::Key::canonical : CacheEvaluator::Key::position);
    top_ = cache_.get();
  }
}

}  // namespace quarto
