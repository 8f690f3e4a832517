#include "env/evaluator.h"

#include <bit>
#include <stdexcept>
#include <utility>

namespace quarto {
namespace {

class UniformBatch final : public EvaluationBatch {
 public:
  Status add(const Position& position, Evaluation& out) override {
    const Mask legal = position.legal_moves();
    out = Evaluation{};
    for (const int m : BitsOf(legal))
      out.prior[static_cast<std::size_t>(m)] = 1.0F / static_cast<float>(std::popcount(legal));
    return Status::known;
  }
  std::size_t size() const override { return 0; }
  void compute() override {}
};

class ProvingBatch final : public EvaluationBatch {
 public:
  // Without `proofs` the prover is asked.
  ProvingBatch(std::unique_ptr<EvaluationBatch> inner, const Prover& prover, std::unique_ptr<ProofBatch> proofs)
      : inner_(std::move(inner)), prover_(prover), proofs_(std::move(proofs)) {}

  Status add(const Position& position, Evaluation& out) override { return inner_->add(position, out); }
  Status ask(const Question& question, Answer& out) override {
    out.bounds = question.known;
    if (question.nodes > 0 && proofs_) {
      // The evaluation is not known to be needless yet.
      proofs_->add(question.position, question.nodes, question.known, out.bounds);
      if (question.evaluate) inner_->add(question.position, out.evaluation);
      return Status::queued;
    }
    if (question.nodes > 0) out.bounds = prover_.bounds(question.position, question.nodes, question.known);
    if (!question.evaluate || out.bounds.exact()) return Status::known;
    return inner_->add(question.position, out.evaluation);
  }
  std::size_t size() const override { return inner_->size() + (proofs_ ? proofs_->size() : 0); }
  void submit() override {
    if (proofs_) proofs_->submit();
    inner_->submit();
  }
  void compute() override {
    if (proofs_) {
      submit();
      proofs_->compute();
    }
    inner_->compute();
  }

 private:
  std::unique_ptr<EvaluationBatch> inner_;
  const Prover& prover_;
  std::unique_ptr<ProofBatch> proofs_;
};

}  // namespace

EvaluationBatch::Status EvaluationBatch::ask(const Question& question, Answer& out) {
  if (question.nodes > 0) throw std::logic_error("a proof was asked of an evaluator that has no prover");
  out.bounds = question.known;
  return question.evaluate ? add(question.position, out.evaluation) : Status::known;
}

void Submitted::refuse_addition() const {
  if (submitted_) throw std::logic_error("a position was added to a batch after submit() and before compute()");
}

void evaluate(Evaluator& evaluator, std::span<const Position> positions, std::span<Evaluation> out) {
  if (positions.size() != out.size()) throw std::invalid_argument("evaluate: as many results as positions are needed");
  const auto batch = evaluator.new_batch();
  for (std::size_t i = 0; i < positions.size(); ++i) batch->add(positions[i], out[i]);
  if (batch->size() > 0) batch->compute();
}

std::unique_ptr<EvaluationBatch> ProvingEvaluator::new_batch() {
  std::unique_ptr<ProofBatch> proofs = on_device_ ? evaluator_.new_proofs() : nullptr;
  if (on_device_ && !proofs)
    throw std::runtime_error("proofs are wanted on the device that evaluates (selfplay.device_proofs), and " +
                             evaluator_.computed_by() + " does not prove: only our kernels on a GPU do");
  return std::make_unique<ProvingBatch>(evaluator_.new_batch(), prover_, std::move(proofs));
}

std::unique_ptr<EvaluationBatch> UniformEvaluator::new_batch() { return std::make_unique<UniformBatch>(); }

Move likeliest_move(const Position& position, const Evaluation& evaluation) {
  Move best = *position.moves().begin();
  for (const Move m : position.moves()) {
    if (evaluation.prior[m.index] > evaluation.prior[best.index]) best = m;
  }
  return best;
}

}  // namespace quarto
