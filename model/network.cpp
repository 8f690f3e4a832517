#include "model/network.h"

#include <fmt/format.h>

#include "model/input.h"
#include "model/pairs.h"
#include "model/residual.h"

namespace quarto {

NetworkOutput Network::forward(const torch::Tensor& input) {
  const NetworkInput wanted = input_of(config_);
  TORCH_CHECK(input.dim() > 0 && input.sizes().slice(1) == c10::IntArrayRef(wanted.sizes), "this network takes ",
              wanted.name, " of shape [N, ", c10::IntArrayRef(wanted.sizes), "], not ", input.sizes());
  EagerOps ops;
  const HeadSignals heads = describe(ops, {input});
  return {heads.place.tensor, heads.give.tensor, heads.outcome.tensor};
}

Sizes with_rows(std::size_t rows, const NetworkInput& input) {
  Sizes sizes = {static_cast<std::int64_t>(rows)};
  sizes.insert(sizes.end(), input.sizes.begin(), input.sizes.end());
  return sizes;
}

torch::Tensor encode_inputs(const NetworkConfig& config, std::span<const Position> positions) {
  const NetworkInput input = input_of(config);
  torch::Tensor rows = torch::empty(with_rows(positions.size(), input));
  for (std::size_t i = 0; i < positions.size(); ++i)
    encode_input(config, positions[i], {rows.data_ptr<float>() + i * input.size, input.size});
  return rows;
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
