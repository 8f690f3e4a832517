// Writes a checkpoint as a light file (light/network_file.h). This header does not include LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "light/network_file.h"
#include "model/safetensors_header.h"

namespace quarto {

// The network of the file: the checkpoint's in integers, and its metadata with `notes` (for example agreement with exact
// play). Seconds for a large one. Throws CheckpointError when the checkpoint cannot be read, when the network is of another
// kind than "pairs", and when integers cannot hold its weights.
light::LightNetwork to_light(const std::filesystem::path& checkpoint, const Metadata& notes = {});

// Loads the file and compares it with the checkpoint in LibTorch on random positions with at least three pieces (a
// network may not have been trained on emptier boards, docs/networks.md). Returns the mean difference of probabilities,
// over moves and outcomes; infinity for what is no number. Throws CheckpointError, light::NetworkFileError.
double check_light_network(const std::filesystem::path& checkpoint, const std::filesystem::path& file, int positions,
                           std::uint64_t seed);

}  // namespace quarto
