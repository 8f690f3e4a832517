// One batch of targets as tensors, for LibTorch's learning.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <span>

#include "gpu/counts.h"
#include "model/config.h"
#include "selfplay/targets.h"

namespace quarto {

// The input of the network and of the loss, on one device.
struct Batch {
  torch::Tensor input;    // [N, input_of().sizes]
  torch::Tensor policy;   // [N, 16] target shares
  torch::Tensor illegal;  // [N, 16] added to the logits: 0 on legal moves, very negative elsewhere
  torch::Tensor wrong;    // [N, 16] likewise: 0 on moves with a share
  torch::Tensor placing;  // [N] 1 where the sample is a place, 0 where it is a give
  torch::Tensor outcome;  // [N, 3] target probabilities of win, draw, loss
};

// `counts` makes the counts of a network that takes them on the GPU; null: the processor does. On a GPU the copies may
// not be done yet when this returns; LibTorch's work there comes after them.
Batch tensors_of(const NetworkConfig& network, std::span<const Target> targets, torch::Device device,
                 const gpu::CountsOnGpu* counts);

// What makes the counts of this network on this device. Null on a processor, and for a network that takes none. Throws
// gpu::CudaError if the device cannot do it, if QUARTOZERO_GPU_KERNELS=0 forbids it, or if its counts are not the
// processor's in some positions.
std::unique_ptr<gpu::CountsOnGpu> counts_on(torch::Device device, const NetworkConfig& network);

}  // namespace quarto
