// A checkpoint as the light engine's file (light/network_file.h). No LibTorch here.
#pragma once

#include <filesystem>
#include <string>

#include "light/network_file.h"
#include "model/safetensors_header.h"

namespace quarto {

// The file's bytes. `notes` (agreement with exact play, for one) join what the checkpoint says of itself. Throws
// CheckpointError, also for a network that the light engine does not have (any kind but "pairs", or another shape than
// PairsKernel::supports()), and when a weight is too large for the precision.
std::string light_network_bytes(const std::filesystem::path& checkpoint, light::Precision precision,
                                const Metadata& notes = {});

}  // namespace quarto
