// An evaluator whose opinions are a function of the position.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "env/evaluator.h"

namespace quarto {

// Answers with a fixed evaluation made by a function of the position.
class Scripted final : public Evaluator {
 public:
  using Answer = std::function<Evaluation(const Position&)>;
  explicit Scripted(Answer answer) : answer_(std::move(answer)) {}
  std::unique_ptr<EvaluationBatch> new_batch() override { return std::make_unique<Batch>(answer_); }

 private:
  class Batch final : public EvaluationBatch {
   public:
    explicit Batch(const Answer& answer) : answer_(answer) {}
    Status add(const Position& p, Evaluation& out) override {
      waiting_.emplace_back(p, &out);
      return Status::queued;
    }
    std::size_t size() const override { return waiting_.size(); }
    void compute() override {
      for (auto& [p, out] : waiting_) *out = answer_(p);
      waiting_.clear();
    }

   private:
    const Answer& answer_;
    std::vector<std::pair<Position, Evaluation*>> waiting_;
  };
  Answer answer_;
};

}  // namespace quarto
