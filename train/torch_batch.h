// One batch of targets as tensors, for LibTorch's learning.
#pragma once

#include <torch/torch.h>

#include <span>

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

// On a GPU the copies may not be done yet when this returns; LibTorch's work there comes after them.
Batch tensors_of(const NetworkConfig& network, std::span<const Target> targets, torch::Device device);

}  // namespace quarto
