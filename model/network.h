// Networks: planes in, three heads out. A network describes itself once, as a sequence of a few tensor operations
// (model/ops.h); training, inference and the exported file are three readings of that one description, so they cannot
// drift apart.
#pragma once

#include <torch/torch.h>

#include <memory>

#include "env/encoding.h"
#include "model/config.h"
#include "model/ops.h"

namespace quarto {
namespace light {
class PairsKernel;
}

// Logits. The places and the gives of a position's other phase, and illegal moves, are there but mean nothing.
struct NetworkOutput {
  torch::Tensor place;    // [N, 16], by square
  torch::Tensor give;     // [N, 16], by piece
  torch::Tensor outcome;  // [N, 3]: win, draw, loss, for the player to act
};

class Network : public torch::nn::Module {
 public:
  const NetworkConfig& config() const { return config_; }

  // planes: [N, kPlanes, 4, 4] float, as env/encoding.h writes them, on the network's device. Differentiable.
  NetworkOutput forward(const torch::Tensor& planes);

  // The network as operations. `planes` is [N, kPlanes, 4, 4].
  virtual HeadSignals describe(Ops& ops, const Signal& planes) = 0;

  // A copy of the weights in the network's own CPU kernel, which is faster than LibTorch; none if the network has no
  // such kernel.
  virtual std::shared_ptr<const light::PairsKernel> make_kernel() const { return nullptr; }

  // The device its weights are on.
  torch::Device device() const;
  std::int64_t weight_count() const;

 protected:
  explicit Network(const NetworkConfig& config) : config_(config.resolved()) {}

 private:
  NetworkConfig config_;
};

// A freshly initialised network in training mode, on the CPU. Seed it with torch::manual_seed beforehand. Throws
// ConfigError.
std::shared_ptr<Network> make_network(const NetworkConfig& config);

}  // namespace quarto
