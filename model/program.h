// A network frozen for inference: the recorded steps of its describe(), with every weight folded into the constant of
// its step (batch norm into its convolution, shared weights expanded). Immutable after recording, so any number of
// threads may run it at the same time. The exporters write this program.
#pragma once

#include <torch/torch.h>

#include "model/network.h"

namespace quarto {

// Expands bits [N, kPlanes] int16, as encode_bits() writes them, to planes [N, kPlanes, 4, 4] on the same device.
torch::Tensor planes_of_bits(const torch::Tensor& bits, torch::ScalarType number);

class Program {
 public:
  enum class Op { input, linear, linear_onto, mix, conv, add, relu, mean, max, reshape, slice, concat };
  struct Step {
    Op op;
    std::vector<int> inputs;               // earlier steps
    std::vector<torch::Tensor> constants;  // weight, bias; steps that use the same numbers share one tensor
    Sizes numbers;                         // the parameters of the operation: axis, begin, end; sizes; padding
    bool in_place = false;                 // the input is not used again and may be overwritten
    std::vector<int> last_uses;            // steps whose results are not used after this step
  };

  // Copies the weights in evaluation mode, whatever the network's mode; later changes to the network do not affect the
  // program. The copy is on `device`, and the program computes in `number`: float32 or bfloat16.
  Program(Network& network, torch::Device device, torch::ScalarType number = torch::kFloat32);
  explicit Program(Network& network) : Program(network, network.device()) {}

  // The logits of place, give and outcome side by side, [N, kOutputs], on the device of the weights, in float32
  // whatever `number` is. Without gradients.
  torch::Tensor run(const torch::Tensor& input) const;
  // The same from the input of planes_of_bits(), on the device of the weights.
  torch::Tensor run_bits(const torch::Tensor& bits) const;
  static constexpr std::int64_t kOutputs = 2 * kMoves + 3;
  // The same as run(), kRowsAtATime at a time: a row of counts and what lies between the layers take much memory.
  torch::Tensor run_in_parts(const torch::Tensor& input) const;
  static constexpr std::int64_t kRowsAtATime = 16;

  const std::vector<Step>& steps() const { return steps_; }
  // The steps of the three heads, in the order place, give, outcome.
  const std::array<int, 3>& heads() const { return heads_; }
  const NetworkConfig& config() const { return config_; }
  torch::Device device() const { return device_; }
  // The number of multiplications and additions in linear layers and convolutions for one position.
  std::int64_t flops() const;

 private:
  class Recorder;
  void plan_memory();
  template <class Observe>
  torch::Tensor execute(const torch::Tensor& input, const Observe& observe) const;
  NetworkConfig config_;
  torch::Device device_;
  torch::ScalarType number_;
  std::vector<Step> steps_;
  std::array<int, 3> heads_{};
};

}  // namespace quarto
