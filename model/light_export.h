// A checkpoint as the light engine's file (light/network_file.h). No LibTorch here.
#pragma once

#include <cstdint>
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

// Loads the file and compares with LibTorch's numbers of the checkpoint on random positions with at least three pieces
// (of emptier boards a network may never have learned anything, docs/networks.md): the largest difference of a
// probability, of moves and of the outcome. Infinite where one is not a number. Throws CheckpointError,
// light::NetworkFileError.
double check_light_network(const std::filesystem::path& checkpoint, const std::filesystem::path& file, int positions,
                           std::uint64_t seed);

}  // namespace quarto
