// Checkpoints on disk. A checkpoint is a directory. One file in it is the network:
//
//     CHECKPOINT/model.safetensors     weights; its __metadata__ holds what a program needs to use them:
//         format    "quarto-network/1"
//         network   the network's configuration as JSON
//         rules     "lines" or "squares": the rules of training (the network's input does not contain them)
//         track     "zero" (no oracle anywhere in training) or "distilled" (exact labels)
//         step      learner steps so far
//         ...       other keys, read into WeightsInfo::extra
//
// `train` writes the files for exact resume beside it. Functions and commands that take a checkpoint take what
// find_weights() does (light/weights.h).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "light/network_file.h"
#include "light/weights.h"
#include "model/config.h"
#include "model/safetensors_header.h"

namespace quarto {

class Network;

inline constexpr const char* kWeightsFormat = "quarto-network/1";
// The keys above.
inline constexpr std::array<const char*, 5> kOwnMetadata = {"format", "network", "rules", "track", "step"};

struct WeightsInfo {
  Track track = Track::zero;
  std::uint64_t step = 0;
  Rules rules = Rules::lines;
  Metadata extra;         // other texts; must not use the keys above
  NetworkConfig network;  // set by reading; writing uses the network's own
};

// What a file of weights or an export of a network says of it: the keys above, info.extra, then `more`.
Metadata metadata_of(NetworkConfig network, const WeightsInfo& info, const Metadata& more = {});

// The metadata of a file, all of which is read and checked. Throws CheckpointError if the file is missing, truncated or
// of another format version, has an unknown configuration key, or is an export.
WeightsInfo read_weights_info(const std::filesystem::path& checkpoint);

// A file of weights as it is; if its directory has checksums, they agree (base/manifest.h).
struct StoredWeights {
  WeightsInfo info;
  SafetensorsHeader header;
  std::string bytes, origin;
};
// Throws CheckpointError, also where a weight is not finite. `origin` is the file's name for messages.
StoredWeights parse_weights(std::string bytes, const std::string& origin);
// Throws as read_weights_info() does. The first is for Weights::Kind::checkpoint.
StoredWeights read_weights(const Weights& weights);
StoredWeights read_weights(const std::filesystem::path& checkpoint);

// The weights of a network of kind pairs in the order of light::PairsLayout; gaps are zero. Throws CheckpointError as
// make_network() does.
light::Floats pairs_weights(const StoredWeights& weights);

// What follows needs LibTorch (network_weights.cpp).

// Writes to a temporary name and renames the file. Throws CheckpointError when info.rules differ from the network's
// rules (NetworkConfig::rules), and FileError when the disk fails.
void save_weights(const Network& network, const std::filesystem::path& file, const WeightsInfo& info);

// The network is on the CPU, in training mode as make_network() returns it. Throws CheckpointError for a tensor that is
// missing, unknown, or of another shape or type; the message names the tensor.
std::shared_ptr<Network> make_network(const StoredWeights& weights);
// Throws as read_weights() and make_network() do.
std::shared_ptr<Network> load_network(const std::filesystem::path& checkpoint, WeightsInfo* info = nullptr);

}  // namespace quarto
