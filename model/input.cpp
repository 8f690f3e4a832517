#include "model/input.h"

#include "env/encoding.h"
#include "light/counts.h"

namespace quarto {

bool takes_planes(const NetworkConfig& config) { return config.kind != NetworkKind::pairs; }

NetworkInput input_of(const NetworkConfig& config) {
  if (takes_planes(config)) return {"planes", {kPlanes, kSide, kSide}, kInputSize};
  const int size = light::counts_size(config.rules);
  return {"counts", {size}, static_cast<std::size_t>(size)};
}

void encode_input(const NetworkConfig& config, const Position& position, std::span<float> out) {
  takes_planes(config) ? encode(position, out) : light::encode_counts(position, out);
}

}  // namespace quarto
