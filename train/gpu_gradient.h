// Computes the gradient of the loss of a pairs network on a GPU with kernels of our own (gpu/gradient.h), where
// train/pairs_gradient.h does on the processor. train/learner.h defines the loss.
#pragma once

#include <torch/torch.h>

#include <span>

#include "gpu/gradient.h"
#include "model/config.h"
#include "selfplay/targets.h"

namespace quarto {

class GpuGradient {
 public:
  // Throws gpu::CudaError if the device cannot do it, if QUARTOZERO_GPU_KERNELS=0 forbids it, or if its gradient of some
  // targets is not the processor's. `device` is a CUDA device.
  GpuGradient(const NetworkConfig& network, torch::Device device);

  // From all weights of the network in the order of its parameters, one tensor on the device, to their gradient, which
  // becomes that tensor's. Returns the sums of place and give, the mean outcome, the loss, and the numbers of places and
  // gives, [6] on the device, where the work may not be done yet. `targets`, at least one, `any` and `logit_penalty` are
  // those of PairsGradient::compute(). Throws gpu::CudaError. Not thread-safe.
  torch::Tensor compute(std::span<const Target> targets, bool any, double logit_penalty, torch::Tensor& weights);

 private:
  void compare_with_processor(const NetworkConfig& network);

  torch::Device device_;
  gpu::GradientOnGpu kernels_;
  torch::Tensor places_;         // of the parameters' numbers in the layout
  torch::Tensor weights_, out_;  // in the layout's order; out_: and the figures
};

}  // namespace quarto
