// What the networks take in LibTorch and in exported files: `planes` (env/encoding.h), or for a pairs network `counts`
// (light/counts.h).
#pragma once

#include <span>
#include <vector>

#include "env/position.h"
#include "model/config.h"

namespace quarto {

struct NetworkInput {
  const char* name;                 // "planes" or "counts"
  std::vector<std::int64_t> sizes;  // of a position: [34, 4, 4] or [light::counts_size()]
  std::size_t size;                 // their product
};
NetworkInput input_of(const NetworkConfig& config);

// True if the input is planes of zeros and ones.
bool takes_planes(const NetworkConfig& config);

// Writes input_of().size floats. The position must not be terminal. Throws std::invalid_argument if `out` is shorter.
void encode_input(const NetworkConfig& config, const Position& position, std::span<float> out);

}  // namespace quarto
