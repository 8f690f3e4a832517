// Evaluators that wrap another evaluator.
#pragma once

#include <cstdint>
#include <memory>

#include "env/evaluator.h"

namespace quarto {

// A cache of evaluations with at most `entries` entries, rounded down to a multiple of 64 and at least 64. A new entry
// replaces the old one in its slot. Pages of memory are taken as slots are filled.
//
// With positions as keys, the results are exactly those of the wrapped evaluator (the cache compares whole positions,
// not hashes). With canonical keys, one entry serves all 12,288 images of a position: the cache evaluates the canonical
// image (env/canonical.h) and maps the priors back. So all images get the same result. It equals the wrapped
// evaluator's result only if that evaluator is equivariant.
//
// Thread-safe: entries are distributed over shards, each with a lock. The evaluator must outlive the cache. A position
// that occurs twice in a batch is evaluated once; a batch's size() counts the positions to evaluate.
class CacheEvaluator final : public Evaluator {
 public:
  enum class Key { position, canonical };

  CacheEvaluator(Evaluator& evaluator, std::size_t entries, Key key = Key::position);
  ~CacheEvaluator() override;

  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override;
  void begin_thread() override { evaluator_.begin_thread(); }

  static constexpr std::size_t kEntryBytes = 104;

 private:
  class Batch;
  class Table;
  Evaluator& evaluator_;
  Key key_;
  std::unique_ptr<Table> table_;
};

// The entries of a cache for self-play on so many threads: what a thread whose network costs next to nothing evaluates
// in ten seconds, for each, but no more than an eighth of the memory.
std::size_t cache_entries(int threads, std::size_t available_bytes);

// Evaluates a random image of each position and maps the priors back. Over many positions this averages a network that
// is not equivariant over the symmetries. The image is a function of the seed and the position, so a position always
// gets the same evaluation, whatever the order, batch or thread.
class SymmetryEvaluator final : public Evaluator {
 public:
  SymmetryEvaluator(Evaluator& evaluator, std::uint64_t seed) : evaluator_(evaluator), seed_(seed) {}

  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override { return evaluator_.traits(); }
  void begin_thread() override { evaluator_.begin_thread(); }

 private:
  class Batch;
  Evaluator& evaluator_;
  std::uint64_t seed_;
};

}  // namespace quarto
