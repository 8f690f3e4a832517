// Networks: the input is planes, the outputs are three heads. A network describes itself once, as a sequence of tensor
// operations (model/ops.h). Training, inference and export all use this one description, so they compute the same
// function.
#pragma once

#include <torch/torch.h>

#include <memory>
#include <span>

#include "env/encoding.h"
#include "model/config.h"
#include "model/ops.h"

namespace quarto {

// The planes without repetition, for networks that take no image: those that differ between squares, and one square of
// each constant one.
inline constexpr int kBoardPlanes = Planes::kHandHas;
inline constexpr int kFlagPlanes = kPlanes - kBoardPlanes;
inline constexpr int kInputs = kBoardPlanes * kSquares + kFlagPlanes;
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

  // planes: [N, input_planes(), 4, 4] float, as model/input.h writes them, on the network's device. The result is
  // differentiable.
  NetworkOutput forward(const torch::Tensor& planes);

  // Describes the network as operations. `planes` is [N, input_planes(), 4, 4].
  virtual HeadSignals describe(Ops& ops, const Signal& planes) = 0;

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

// Positions as a network with this configuration takes them: [N, input_planes(), 4, 4], on the CPU. None may be
// terminal.
torch::Tensor encode_inputs(const NetworkConfig& config, std::span<const Position> positions);

// An initialised network in training mode, on the CPU. Call torch::manual_seed first for a fixed seed. Throws
// ConfigError.
std::shared_ptr<Network> make_network(const NetworkConfig& config);

}  // namespace quarto
