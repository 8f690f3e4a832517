// An evaluator whose opinions are a function of the position.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "env/evaluator.h"

namespace quarto {

// Queues like a network does, and counts, except for positions that it is to know at once. Thread-safe if the functions
// are.
class Scripted final : public Evaluator {
 public:
  using Answer = std::function<Evaluation(const Position&)>;
  explicit Scripted(Answer answer, std::function<bool(const Position&)> knows = {})
      : answer_(std::move(answer)), knows_(std::move(knows)) {}
  std::unique_ptr<EvaluationBatch> new_batch() override { return std::make_unique<Batch>(*this); }

  // Read them when nothing is computed.
  std::vector<std::size_t> batch_sizes;  // of every compute()
  std::size_t evaluated = 0;             // their sum
  int known = 0, submitted = 0;

 private:
  class Batch final : public EvaluationBatch {
   public:
    explicit Batch(Scripted& owner) : owner_(owner) {}
    Status add(const Position& p, Evaluation& out) override {
      if (owner_.knows_ && owner_.knows_(p)) {
        out = owner_.answer_(p);
        const std::lock_guard lock(owner_.mutex_);
        ++owner_.known;
        return Status::known;
      }
      waiting_.emplace_back(p, &out);
      return Status::queued;
    }
    std::size_t size() const override { return waiting_.size(); }
    void submit() override {
      const std::lock_guard lock(owner_.mutex_);
      ++owner_.submitted;
    }
    void compute() override {
      {
        const std::lock_guard lock(owner_.mutex_);
        owner_.batch_sizes.push_back(waiting_.size());
        owner_.evaluated += waiting_.size();
      }
      for (auto& [p, out] : waiting_) *out = owner_.answer_(p);
      waiting_.clear();
    }

   private:
    Scripted& owner_;
    std::vector<std::pair<Position, Evaluation*>> waiting_;
  };
  Answer answer_;
  std::function<bool(const Position&)> knows_;
  std::mutex mutex_;
};

}  // namespace quarto
