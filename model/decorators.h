// Layers over any evaluator. No LibTorch here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "env/evaluator.h"

namespace quarto {

// Remembers evaluations. Holds at most `entries` of them; a new one replaces what stood in its place.
//
// Keyed by position, results are exactly those of the wrapped evaluator, whatever it is (the whole position is
// compared, not a hash). Keyed canonically, one entry serves all 12,288 images of a position, priors carried over by
// the symmetry: what is evaluated is always the representative (env/canonical.h), so the answer is a function of the
// position, and the same for all its images. It is the wrapped evaluator's own only if that is itself equivariant.
//
// Thread-safe: entries are spread over shards, each behind its own lock. The evaluator must outlive it. What is asked
// for twice in one batch is evaluated once; a batch's size() counts what will be evaluated.
class CacheEvaluator final : public Evaluator {
 public:
  enum class Key { position, canonical };

  CacheEvaluator(Evaluator& evaluator, std::size_t entries, Key key = Key::position);
  ~CacheEvaluator() override;

  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override;

  std::uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  std::uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }
  // Asked for while the same was already waiting in the batch.
  std::uint64_t shared() const { return shared_.load(std::memory_order_relaxed); }
  void clear();

 private:
  class Batch;
  class Table;
  Evaluator& evaluator_;
  Key key_;
  std::unique_ptr<Table> table_;
  std::atomic<std::uint64_t> hits_{0}, misses_{0}, shared_{0};
};

// Evaluates a random image of each position and carries the priors back. Over many evaluations this averages a
// network that is not equivariant over the symmetries. The image is a function of the seed and the position, so that
// the same position always gets the same evaluation, whatever the order, batch or thread.
class SymmetryEvaluator final : public Evaluator {
 public:
  SymmetryEvaluator(Evaluator& evaluator, std::uint64_t seed) : evaluator_(evaluator), seed_(seed) {}

  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override { return evaluator_.traits(); }

 private:
  class Batch;
  Evaluator& evaluator_;
  std::uint64_t seed_;
};

}  // namespace quarto
