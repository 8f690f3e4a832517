// What model/checkpoint.h declares of networks in LibTorch.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "env/notation.h"
#include "model/checkpoint.h"
#include "model/network.h"
#include "model/safetensors.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

// The parameters and the running statistics, without the constants that the constructor computes.
NamedTensors named_tensors(const Network& network) {
  NamedTensors tensors;
  for (const auto& item : network.named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : network.named_buffers()) {
    if (!is_constant(item.key())) tensors.emplace_back(item.key(), item.value());
  }
  return tensors;
}

}  // namespace

void save_weights(const Network& network, const fs::path& file, const WeightsInfo& info) {
  if (info.rules != network.config().rules) {
    throw CheckpointError(
        fmt::format("cannot save '{}': trained for rules '{}', but the network is built for '{}' (set network.rules)",
                    file.string(), to_string(info.rules), to_string(network.config().rules)));
  }
  for (const char* key : kOwnMetadata) {
    if (info.extra.contains(key)) throw CheckpointError(fmt::format("extra metadata must not be called '{}'", key));
  }
  write_safetensors(file, named_tensors(network), metadata_of(network.config(), info));
}

std::shared_ptr<Network> make_network(const StoredWeights& weights) {
  // Every block of every kind has a square of weights, so a short file cannot ask for gigabytes of memory.
  const NetworkConfig config = weights.info.network.resolved();
  const auto width = static_cast<std::size_t>(config.width);
  const std::size_t least = static_cast<std::size_t>(config.blocks) * width * width * sizeof(float);
  if (weights.bytes.size() < least) {
    throw CheckpointError(fmt::format("{}: {} bytes, and a network of width {} with {} blocks has more than {}",
                                      weights.origin, weights.bytes.size(), config.width, config.blocks, least));
  }
  const TensorFile file = parse_safetensors(weights.bytes, weights.origin);
  std::shared_ptr<Network> network = make_network(weights.info.network);
  std::set<std::string> unknown;
  for (const auto& [name, tensor] : file.tensors) unknown.insert(name);
  const torch::NoGradGuard no_gradients;
  for (auto& [name, tensor] : named_tensors(*network)) {
    const torch::Tensor& stored = file.at(name);
    if (stored.sizes() != tensor.sizes() || stored.scalar_type() != tensor.scalar_type()) {
      throw CheckpointError(fmt::format("{}: tensor '{}' is {} [{}], the network needs {} [{}]", file.origin, name,
                                        dtype_name(stored.scalar_type()), fmt::join(stored.sizes().vec(), ", "),
                                        dtype_name(tensor.scalar_type()), fmt::join(tensor.sizes().vec(), ", ")));
    }
    tensor.copy_(stored);
    unknown.erase(name);
  }
  if (!unknown.empty()) {
    throw CheckpointError(
        fmt::format("{}: tensor '{}' does not belong to this network", file.origin, *unknown.begin()));
  }
  return network;
}

std::shared_ptr<Network> load_network(const fs::path& checkpoint, WeightsInfo* info) {
  StoredWeights weights = read_weights(checkpoint);
  std::shared_ptr<Network> network = make_network(weights);
  if (info != nullptr) *info = std::move(weights.info);
  return network;
}

}  // namespace quarto
