#include "model/input.h"

#include "env/encoding.h"
#include "light/count_planes.h"

namespace quarto {

int input_planes(const NetworkConfig& config) {
  return config.kind == NetworkKind::pairs && config.placements > 2 ? kPlanes + light::kCountPlanes : kPlanes;
}

void encode_input(const NetworkConfig& config, const Position& position, std::span<float> out) {
  encode(position, out);
  if (input_planes(config) > kPlanes) light::encode_counts(position, out.subspan(kInputSize));
}

torch::Tensor encode_inputs(const NetworkConfig& config, std::span<const Position> positions) {
  const std::int64_t planes = input_planes(config);
  torch::Tensor input = torch::empty({static_cast<std::int64_t>(positions.size()), planes, kSide, kSide});
  const auto size = static_cast<std::size_t>(planes * kSquares);
  for (std::size_t i = 0; i < positions.size(); ++i)
    encode_input(config, positions[i], {input.data_ptr<float>() + i * size, size});
  return input;
}

}  // namespace quarto
