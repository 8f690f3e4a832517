// The evaluator that computes the pairs network with its CPU kernel.
#pragma once

#include <memory>

#include "env/evaluator.h"
#include "light/pairs_kernel.h"

namespace quarto {

// Thread-safe as Evaluator requires: the kernel is immutable and every batch has its own workspace. A batch evaluates
// its positions one by one. The result for one does not depend on the others, bit for bit.
class PairsEvaluator final : public Evaluator {
 public:
  explicit PairsEvaluator(std::shared_ptr<const light::PairsKernel> kernel) : kernel_(std::move(kernel)) {}
  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override { return {.equivariant = true, .batch_invariant = true}; }
  std::string computed_by() const override { return "our kernel on the processor"; }

 private:
  std::shared_ptr<const light::PairsKernel> kernel_;
};

}  // namespace quarto
