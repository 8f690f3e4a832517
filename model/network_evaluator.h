// An evaluator that computes a network with LibTorch or with the network's kernel.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <memory>

#include "env/evaluator.h"
#include "light/softmax.h"
#include "model/gpu_program.h"
#include "model/network.h"
#include "model/program.h"
#include "model/runtime.h"

namespace quarto {

// Holds a frozen copy of the network's weights (a Program), so training of the network can continue. Making a new
// evaluator for newer weights takes a few milliseconds. Evaluations are a function of the position, but for
// the last bits, which depend on the size of the batch. Thread-safe as Evaluator requires: the program is immutable and
// every batch has its own buffers. A batch is one copy to the device, one run and one copy back. On a CPU compute()
// does all three; on a GPU submit() starts them and compute() waits (model/gpu_program.h), unless the network takes
// counts (model/input.h).
class NetworkEvaluator final : public Evaluator {
 public:
  // The network may be on any device; its copy is on `device`.
  explicit NetworkEvaluator(const std::shared_ptr<Network>& network, torch::Device device = torch::kCPU,
                            Precision precision = Precision::float32);

  std::unique_ptr<EvaluationBatch> new_batch() override;
  // Not batch-invariant: matrix products of different sizes add in a different order.
  EvaluatorTraits traits() const override { return {.equivariant = equivariant_, .batch_invariant = false}; }
  void begin_thread() override { configure_torch(1); }
  std::string computed_by() const override { return "LibTorch on " + program_->device().str(); }
  const Program& program() const { return *program_; }

 private:
  bool equivariant_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<GpuProgram> gpu_;  // null on a CPU, in a build without CUDA, and for a network that takes counts
};

// Makes the fastest evaluator for the network on the device: the network's own kernels (light/, gpu/), if it has any,
// else LibTorch. It holds a copy of the weights. Those kernels compute in float32, whatever the precision. If the GPU's
// cannot be used, or do not agree with the processor, then the processor's evaluate if `or_processor`, and a line on
// standard error says why, once; else it throws DeviceError. QUARTOZERO_GPU_KERNELS=0 selects the processor's.
std::unique_ptr<Evaluator> make_evaluator(const std::shared_ptr<Network>& network, torch::Device device = torch::kCPU,
                                          Precision precision = Precision::float32, bool or_processor = true);

// A batch that compute() computes whole: `run` gets the input of the network's positions on the CPU, and returns their
// logits [N, 35], wherever they are.
std::unique_ptr<EvaluationBatch> make_direct_batch(const NetworkConfig& network,
                                                   std::function<torch::Tensor(const torch::Tensor&)> run);

}  // namespace quarto
