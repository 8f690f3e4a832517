#include "light/evaluator.h"

#include <stdexcept>
#include <vector>

#include "light/softmax.h"

namespace quarto {
namespace {

class PairsBatch final : public EvaluationBatch {
 public:
  explicit PairsBatch(std::shared_ptr<const light::PairsKernel> kernel)
      : kernel_(std::move(kernel)), workspace_(kernel_->new_workspace()) {}

  Status add(const Position& position, Evaluation& out) override {
    if (position.is_terminal()) throw std::invalid_argument("a finished game was sent to the network");
    waiting_.push_back({position, &out});
    return Status::queued;
  }
  std::size_t size() const override { return waiting_.size(); }

  void compute() override {
    results_.resize(waiting_.size());
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const light::PairsOutput logits = kernel_->forward(waiting_[i].position, *workspace_);
      results_[i] = evaluation_of(logits.policy, waiting_[i].position.legal_moves(), logits.outcome);
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) *waiting_[i].out = results_[i];
    waiting_.clear();
  }

 private:
  struct Waiting {
    Position position;
    Evaluation* out;
  };
  std::shared_ptr<const light::PairsKernel> kernel_;
  std::unique_ptr<light::PairsKernel::Workspace> workspace_;
  std::vector<Waiting> waiting_;
  std::vector<Evaluation> results_;
};

}  // namespace

std::unique_ptr<EvaluationBatch> PairsEvaluator::new_batch() { return std::make_unique<PairsBatch>(kernel_); }

}  // namespace quarto
