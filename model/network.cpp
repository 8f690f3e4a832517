#include "model/network.h"

#include <fmt/format.h>

#include "model/input.h"
#include "model/pairs.h"
#include "model/residual.h"

namespace quarto {

NetworkOutput Network::forward(const torch::Tensor& planes) {
  const int count = input_planes(config_);
  TORCH_CHECK(planes.dim() == 4 && planes.size(1) == count && planes.size(2) == kSide && planes.size(3) == kSide,
              "this network takes planes of shape [N, ", count, ", 4, 4], not ", planes.sizes());
  EagerOps ops;
  const HeadSignals heads = describe(ops, {planes});
  return {heads.place.tensor, heads.give.tensor, heads.outcome.tensor};
}

torch::Tensor encode_inputs(const NetworkConfig& config, std::span<const Position> positions) {
  const std::int64_t planes = input_planes(config);
  torch::Tensor input = torch::empty({static_cast<std::int64_t>(positions.size()), planes, kSide, kSide});
  const auto size = static_cast<std::size_t>(planes * kSquares);
  for (std::size_t i = 0; i < positions.size(); ++i)
    encode_input(config, positions[i], {input.data_ptr<float>() + i * size, size});
  return input;
}

torch::Device Network::device() const { return parameters().front().device(); }

std::int64_t Network::weight_count() const {
  std::int64_t n = 0;
  for (const torch::Tensor& p : parameters()) n += p.numel();
  return n;
}

std::shared_ptr<Network> make_network(const NetworkConfig& config) {
  const NetworkConfig resolved = config.resolved();
  switch (resolved.kind) {
    case NetworkKind::pairs:
      return std::make_shared<PairsNetwork>(resolved);
    case NetworkKind::residual:
      return std::make_shared<ResidualNetwork>(resolved);
  }
  throw ConfigError("unknown network kind");
}

}  // namespace quarto
