// A network as an evaluator.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "env/evaluator.h"
#include "light/softmax.h"
#include "model/gpu_program.h"
#include "model/network.h"
#include "model/program.h"
#include "model/runtime.h"

namespace quarto {

// Holds a frozen copy of the network's weights (a Program): training may go on with the network meanwhile, and a new
// evaluator is made, in a few milliseconds, when newer weights are wanted. Evaluations are a function of the position
// alone. Thread-safe as Evaluator asks: the program is immutable, every batch has buffers of its own, and each
// compute() is one copy to the device, one run, one copy back. On a GPU submit() sets those three going and compute()
// waits for them (model/gpu_program.h).
class NetworkEvaluator final : public Evaluator {
 public:
  // The network may be on any device; the copy goes to `device`.
  explicit NetworkEvaluator(const std::shared_ptr<Network>& network, torch::Device device = torch::kCPU,
                            Precision precision = Precision::float32);

  std::unique_ptr<EvaluationBatch> new_batch() override;
  // Not batch-invariant: matrix products of other sizes add up in another order.
  EvaluatorTraits traits() const override { return {.equivariant = equivariant_, .batch_invariant = false}; }
  const Program& program() const { return *program_; }

 private:
  bool equivariant_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<GpuProgram> gpu_;  // none: on a CPU, or in a build without CUDA
};

// The fastest evaluator there is for the network on the device: its own kernel on the CPU if it has one, else LibTorch.
// Holds a copy of the weights, as NetworkEvaluator does. The kernel computes in float32, whatever the precision.
std::unique_ptr<Evaluator> make_evaluator(const std::shared_ptr<Network>& network, torch::Device device = torch::kCPU,
                                          Precision precision = Precision::float32);

}  // namespace quarto
