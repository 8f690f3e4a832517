// A network frozen for inference: the steps of its describe(), recorded once, with every weight folded to the constant
// that is multiplied with (batch norm into its convolution, shared weights expanded). Immutable after recording, so any
// number of threads may run it at the same time. Also what the exporter writes.
#pragma once

#include <torch/torch.h>

#include "model/network.h"

namespace quarto {

// [N, kPlanes] int16 as encode_bits() writes them to [N, kPlanes, 4, 4] numbers, on the same device.
torch::Tensor planes_of_bits(const torch::Tensor& bits, torch::ScalarType number);

class Program {
 public:
  enum class Op { planes, linear, linear_onto, mix, conv, add, relu, clamp01, mean, max, reshape, slice, concat };
  struct Step {
    Op op;
    std::vector<int> inputs;               // earlier steps
    std::vector<torch::Tensor> constants;  // weight, bias
    Sizes numbers;                         // axis, begin, end; sizes; padding: whatever the operation needs
    bool in_place = false;                 // the input is not used again and may be overwritten
    std::vector<int> last_uses;            // the steps whose results are not needed after this one
  };

  // Takes a copy of the weights, in the network's evaluation behaviour whatever its mode; later changes to the network
  // do not reach the program. The copy goes to `device`. It is kept, and computed with, in `number`: float32 or
  // bfloat16.
  Program(Network& network, torch::Device device, torch::ScalarType number = torch::kFloat32);
  explicit Program(Network& network) : Program(network, network.device()) {}

  // place, give and outcome side by side: [N, kOutputs] logits, on the device of the weights, as float32 whatever the
  // numbers inside. Without gradients.
  torch::Tensor run(const torch::Tensor& planes) const;
  // The same from what planes_of_bits() takes, on the device of the weights.
  torch::Tensor run_bits(const torch::Tensor& bits) const;
  static constexpr std::int64_t kOutputs = 2 * kMoves + 3;

  const std::vector<Step>& steps() const { return steps_; }
  // Steps of the three heads, in the order place, give, outcome.
  const std::array<int, 3>& heads() const { return heads_; }
  const NetworkConfig& config() const { return config_; }
  torch::Device device() const { return device_; }
  // Multiplications and additions of one position in linear layers and convolutions.
  std::int64_t flops() const;

 private:
  class Recorder;
  void plan_memory();
  template <class Observe>
  torch::Tensor execute(const torch::Tensor& planes, const Observe& observe) const;
  NetworkConfig config_;
  torch::Device device_;
  torch::ScalarType number_;
  std::vector<Step> steps_;
  std::array<int, 3> heads_{};
};

}  // namespace quarto
