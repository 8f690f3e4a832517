#include "model/input.h"

#include "env/encoding.h"
#include "light/count_planes.h"

namespace quarto {

int input_planes(const NetworkConfig& config) {
  return config.kind == NetworkKind::pairs && config.placements > 2 ? kPlanes + light::count_planes(config.placements)
                                                                    : kPlanes;
}

void encode_input(const NetworkConfig& config, const Position& position, std::span<float> out) {
  encode(position, out);
  if (input_planes(config) > kPlanes) light::encode_counts(position, config.placements, out.subspan(kInputSize));
}

}  // namespace quarto
