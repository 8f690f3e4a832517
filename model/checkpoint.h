// Checkpoints on disk. A checkpoint is a directory; the part of it that is the network is one file:
//
//     CHECKPOINT/model.safetensors     weights; its __metadata__ holds all that is needed to use them:
//         format    "quarto-network/1"
//         network   the network's configuration as JSON
//         rules     "lines" or "squares": what it was trained for (the rules are not in the network's input)
//         track     "zero" (no oracle anywhere in training) or "distilled" (exact labels)
//         step      learner steps so far
//         ...       anything else, kept in WeightsInfo::extra
//
// `train` puts what it needs to go on beside it. Everything that takes a checkpoint also takes the file alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "model/config.h"
#include "model/safetensors_header.h"

namespace quarto {

class Network;

inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kWeightsFormat = "quarto-network/1";

struct WeightsInfo {
  Track track = Track::zero;
  std::uint64_t step = 0;
  Rules rules = Rules::lines;
  Metadata extra;         // free texts; keys must not be those above
  NetworkConfig network;  // filled when reading; when writing, the network's own is used
};

// CHECKPOINT or CHECKPOINT/model.safetensors. Throws CheckpointError when there is neither.
std::filesystem::path weights_file(const std::filesystem::path& checkpoint);

// The metadata alone. Throws CheckpointError: missing, truncated, another format version, unknown configuration key.
WeightsInfo read_weights_info(const std::filesystem::path& checkpoint);

// Writes under a temporary name and renames. Throws CheckpointError when info.rules are not those that the network is
// built for (NetworkConfig::rules), FileError when the disk fails.
void save_weights(const Network& network, const std::filesystem::path& file, const WeightsInfo& info);

// On the CPU, in training mode as make_network() leaves it. Throws CheckpointError as read_weights_info does, and when
// a tensor is missing, is not known, or has another shape or type (all named).
std::shared_ptr<Network> load_network(const std::filesystem::path& checkpoint, WeightsInfo* info = nullptr);

}  // namespace quarto
