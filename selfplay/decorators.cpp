#include "selfplay/decorators.h"

#include <algorithm>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/memory.h"
#include "base/random.h"
#include "env/canonical.h"

namespace quarto {
namespace {

constexpr std::size_t kShards = 64;

Evaluation image_of(const Evaluation& e, Symmetry g, const Position& position) {
  Evaluation image = e;
  image.prior = apply(g, e.prior, position.phase(), position.rules());
  return image;
}

}  // namespace

class CacheEvaluator::Table {
 public:
  explicit Table(std::size_t entries)
      : per_shard_(std::max<std::size_t>(1, entries / kShards)),
        memory_(kShards * per_shard_ * sizeof(Slot)),
        slots_(static_cast<Slot*>(memory_.data())) {}
  bool find(const Position& key, Evaluation& out) {
    const std::uint64_t h = mix_seed(key.key(), 0);
    const std::scoped_lock lock(locks_[h % kShards].mutex);
    const Slot& slot = slot_of(h);
    if (!slot.filled || !(slot.key == key)) return false;
    out = slot.evaluation;
    return true;
  }
  void store(const Position& key, const Evaluation& evaluation) {
    const std::uint64_t h = mix_seed(key.key(), 0);
    const std::scoped_lock lock(locks_[h % kShards].mutex);
    slot_of(h) = {key, evaluation, true};
  }

 private:
  // All zero is an empty one.
  struct Slot {
    Position key = Position();
    Evaluation evaluation;
    bool filled = false;
  };
  static_assert(std::is_trivially_copyable_v<Slot> && sizeof(Slot) == CacheEvaluator::kEntryBytes);
  struct alignas(64) Lock {
    std::mutex mutex;
  };
  Slot& slot_of(std::uint64_t h) { return slots_[h % kShards * per_shard_ + h / kShards % per_shard_]; }

  std::size_t per_shard_;
  ZeroPages memory_;
  Slot* slots_;
  std::array<Lock, kShards> locks_;
};

class CacheEvaluator::Batch final : public EvaluationBatch {
 public:
  explicit Batch(CacheEvaluator& cache) : cache_(cache), inner_(cache.evaluator_.new_batch()) {}

  Status add(const Position& position, Evaluation& out) override {
    submitted_.refuse_addition();
    // With canonical keys the canonical image is evaluated, so that the result does not depend on the image that was
    // requested first.
    CanonicalForm form{position, {}};
    if (cache_.key_ == Key::canonical) form = canonical_form(position);
    if (cache_.table_->find(form.position, out)) {
      out = seen_from(out, form, position);
      return Status::known;
    }
    const auto at = asked_.find(form.position.key());
    if (at != asked_.end() && waiting_[at->second].form.position == form.position) {
      followers_.push_back({at->second, form.symmetry, position, &out});
      return Status::queued;
    }
    if (inner_->add(form.position, out) == Status::known) {
      cache_.table_->store(form.position, out);
      out = seen_from(out, form, position);
      return Status::known;
    }
    asked_.emplace(form.position.key(), waiting_.size());
    waiting_.push_back({form, position, &out});
    return Status::queued;
  }
  std::size_t size() const override { return inner_->size(); }
  void submit() override {
    if (waiting_.empty()) return;
    inner_->submit();
    submitted_.set();
  }
  void compute() override {
    if (waiting_.empty()) return;
    inner_->compute();
    submitted_.clear();
    for (const Waiting& w : waiting_) cache_.table_->store(w.form.position, *w.out);
    for (const Follower& f : followers_) {
      const Waiting& w = waiting_[f.leader];
      *f.out = seen_from(*w.out, {w.form.position, f.symmetry}, f.position);
    }
    for (const Waiting& w : waiting_) *w.out = seen_from(*w.out, w.form, w.position);
    waiting_.clear();
    followers_.clear();
    asked_.clear();
  }

 private:
  struct Waiting {
    CanonicalForm form;
    Position position;
    Evaluation* out;
  };
  // A position that is already in the batch.
  struct Follower {
    std::size_t leader;
    Symmetry symmetry;
    Position position;
    Evaluation* out;
  };
  // Maps an evaluation of the canonical image to the position itself.
  Evaluation seen_from(const Evaluation& e, const CanonicalForm& form, const Position& position) const {
    if (cache_.key_ != Key::canonical) return e;
    return image_of(e, inverse(form.symmetry, position.rules()), form.position);
  }

  CacheEvaluator& cache_;
  std::unique_ptr<EvaluationBatch> inner_;
  std::vector<Waiting> waiting_;
  std::vector<Follower> followers_;
  std::unordered_map<std::uint64_t, std::size_t> asked_;  // from a position's key to its index in waiting_
  Submitted submitted_;
};

CacheEvaluator::CacheEvaluator(Evaluator& evaluator, std::size_t entries, Key key)
    : evaluator_(evaluator), key_(key), table_(std::make_unique<Table>(entries)) {}
CacheEvaluator::~CacheEvaluator() = default;

std::unique_ptr<EvaluationBatch> CacheEvaluator::new_batch() { return std::make_unique<Batch>(*this); }

EvaluatorTraits CacheEvaluator::traits() const {
  EvaluatorTraits traits = evaluator_.traits();
  if (key_ == Key::canonical) traits.equivariant = true;  // images of a position share one evaluation
  return traits;
}

class SymmetryEvaluator::Batch final : public EvaluationBatch {
 public:
  Batch(std::unique_ptr<EvaluationBatch> inner, std::uint64_t seed) : inner_(std::move(inner)), seed_(seed) {}

  Status add(const Position& position, Evaluation& out) override {
    submitted_.refuse_addition();
    Rng rng(mix_seed(seed_, position.key()));
    const Symmetry g =
        symmetry(static_cast<int>(rng.below(static_cast<std::uint64_t>(symmetry_count(position.rules())))));
    const Position image = apply(g, position);
    const Symmetry back = inverse(g, position.rules());
    if (inner_->add(image, out) == Status::known) {
      out = image_of(out, back, position);
      return Status::known;
    }
    waiting_.push_back({position, back, &out});
    return Status::queued;
  }
  std::size_t size() const override { return waiting_.size(); }
  void submit() override {
    if (waiting_.empty()) return;
    inner_->submit();
    submitted_.set();
  }
  void compute() override {
    if (waiting_.empty()) return;
    inner_->compute();
    submitted_.clear();
    for (const Waiting& w : waiting_) *w.out = image_of(*w.out, w.back, w.position);
    waiting_.clear();
  }

 private:
  struct Waiting {
    Position position;
    Symmetry back;
    Evaluation* out;
  };
  std::unique_ptr<EvaluationBatch> inner_;
  std::uint64_t seed_;
  std::vector<Waiting> waiting_;
  Submitted submitted_;
};

std::unique_ptr<EvaluationBatch> SymmetryEvaluator::new_batch() {
  return std::make_unique<Batch>(evaluator_.new_batch(), seed_);
}

std::size_t cache_entries(int threads, std::size_t available_bytes) {
  constexpr std::size_t kOfThread = std::size_t{1} << 20;
  return std::min(kOfThread * static_cast<std::size_t>(threads), available_bytes / 8 / CacheEvaluator::kEntryBytes);
}

}  // namespace quarto
