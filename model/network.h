// Networks: the input is that of model/input.h, the outputs are three heads. A network describes itself once, as a sequence of tensor
// operations (model/ops.h). Training, inference and export all use this one description, so they compute the same
// function.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <span>

#include "env/encoding.h"
#include "model/config.h"
#include "model/input.h"
#include "model/ops.h"

namespace quarto {

namespace light {
class PairsKernel;
}

// Of a buffer's name: the rules determine it, and no checkpoint holds it. Other buffers are running statistics.
inline bool is_constant(std::string_view buffer) { return buffer.find("const_") != std::string_view::npos; }

// Logits. Those of the other phase and of illegal moves have no meaning.
struct NetworkOutput {
  torch::Tensor place;    // [N, 16], by square
  torch::Tensor give;     // [N, 16], by piece
  torch::Tensor outcome;  // [N, 3]: win, draw, loss, for the player to act
};

class Network : public torch::nn::Module {
 public:
  const NetworkConfig& config() const { return config_; }

  // input: [N, input_of(config()).sizes] float, on the network's device. The result is differentiable.
  NetworkOutput forward(const torch::Tensor& input);

  // Describes the network as operations.
  virtual HeadSignals describe(Ops& ops, const Signal& input) = 0;

  // A copy of the weights in the network's own CPU kernel, which is faster than LibTorch; null if the network has no
  // kernel.
  virtual std::shared_ptr<const light::PairsKernel> make_kernel() const { return nullptr; }

  // The device of the weights.
  torch::Device device() const;
  std::int64_t weight_count() const;

 protected:
  explicit Network(const NetworkConfig& config) : config_(config.resolved()) {}

 private:
  NetworkConfig config_;
};

// The sizes of the input of that many positions.
Sizes with_rows(std::size_t rows, const NetworkInput& input);
// Positions as a network with this configuration takes them, on the CPU. None may be terminal.
torch::Tensor encode_inputs(const NetworkConfig& config, std::span<const Position> positions);

// An initialised network in training mode, on the CPU. Call torch::manual_seed first for a fixed seed. Throws
// ConfigError.
std::shared_ptr<Network> make_network(const NetworkConfig& config);

}  // namespace quarto
