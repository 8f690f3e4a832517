// The pairs network's kernel as an evaluator: the CPU's way of evaluating that network. No LibTorch here.
#pragma once

#include <memory>

#include "env/evaluator.h"
#include "light/pairs_kernel.h"

namespace quarto {

// Thread-safe as Evaluator asks: the kernel is immutable, and every batch has a workspace of its own. A batch is a mere
// list; positions are evaluated one by one, and the answer to one does not depend on the others, bit for bit.
class PairsEvaluator final : public Evaluator {
 public:
  explicit PairsEvaluator(std::shared_ptr<const light::PairsKernel> kernel) : kernel_(std::move(kernel)) {}
  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override { return {.equivariant = true, .batch_invariant = true}; }

 private:
  std::shared_ptr<const light::PairsKernel> kernel_;
};

}  // namespace quarto
