#include "model/input.h"

#include "env/encoding.h"
#include "light/count_planes.h"

namespace quarto {

int input_planes(const NetworkConfig& config) {
  return config.kind == NetworkKind::pairs ? kPlanes + light::kCountPlanes : kPlanes;
}

void encode_input(const NetworkConfig& config, const Position& position, std::span<float> out) {
  encode(position, out);
  if (input_planes(config) > kPlanes) light::encode_counts(position, out.subspan(kInputSize));
}

}  // namespace quarto
