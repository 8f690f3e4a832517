// What the networks take in LibTorch and in exported files: the planes of env/encoding.h, and for a pairs network with
// also the counts of light/count_planes.h, as further planes.
#pragma once

#include <span>

#include "env/position.h"
#include "model/config.h"

namespace quarto {

// The number of planes of 4x4: kPlanes, or kPlanes + light::kCountPlanes.
int input_planes(const NetworkConfig& config);

// Writes input_planes() * 16 floats. The position must not be terminal. Throws std::invalid_argument if `out` is
// shorter.
void encode_input(const NetworkConfig& config, const Position& position, std::span<float> out);

}  // namespace quarto
