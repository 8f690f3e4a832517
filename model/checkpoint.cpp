#include "model/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <fstream>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "base/shipped.h"
#include "env/notation.h"
#include "light/network_file.h"
#include "model/network.h"
#include "model/safetensors.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

const std::set<std::string> kOwnKeys = {"format", "network", "rules", "track", "step"};

// The parameters and the running statistics, without the constants that the constructor computes.
NamedTensors named_tensors(const Network& network) {
  NamedTensors tensors;
  for (const auto& item : network.named_parameters()) tensors.emplace_back(item.key(), item.value());
  for (const auto& item : network.named_buffers()) {
    if (item.key().find("const_") == std::string::npos) tensors.emplace_back(item.key(), item.value());
  }
  return tensors;
}

WeightsInfo parse_info(const Metadata& metadata, const std::string& origin) {
  const auto get = [&](const std::string& key) -> const std::string& {
    const auto found = metadata.find(key);
    if (found == metadata.end()) {
      throw CheckpointError(
          fmt::format("{}: not the weights of a Quarto network: no '{}' in __metadata__", origin, key));
    }
    return found->second;
  };
  if (get("format") != kWeightsFormat) {
    throw CheckpointError(
        fmt::format("{}: format is '{}', this program reads '{}'", origin, get("format"), kWeightsFormat));
  }
  WeightsInfo info;
  try {
    config::from_json(parse_json(get("network")), origin + ": network", config::visitor_of(info.network));
    info.network = info.network.resolved();
    info.rules = parse_rules(get("rules"));
  } catch (const CheckpointError&) {
    throw;
  } catch (const ConfigError& e) {
    throw CheckpointError(e.what());
  } catch (const JsonError& e) {
    throw CheckpointError(fmt::format("{}: metadata 'network' is not valid JSON: {}", origin, e.what()));
  } catch (const std::invalid_argument& e) {
    throw CheckpointError(fmt::format("{}: metadata 'rules': {}", origin, e.what()));
  }
  const auto track = value_named<Track>(get("track"));
  if (!track) {
    throw CheckpointError(fmt::format("{}: metadata 'track' is '{}', expected one of {}", origin, get("track"),
                                      fmt::join(all_names<Track>(), ", ")));
  }
  info.track = *track;
  const std::string& step = get("step");
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), info.step);
  if (error != std::errc() || end != step.data() + step.size()) {
    throw CheckpointError(fmt::format("{}: metadata 'step' is '{}', expected a whole number", origin, step));
  }
  for (const auto& [key, text] : metadata) {
    if (!kOwnKeys.contains(key)) info.extra[key] = text;
  }
  return info;
}

// Throws if the file is not a safetensors file, with its kind if `quartozero export` writes such files. Its content
// decides, not its name, except for ONNX files of other programs, which have no magic number.
void require_safetensors(const fs::path& file) {
  constexpr std::size_t kStart = 8;  // of the header's text, after its length
  std::string head(2 * kStart, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (head.size() <= kStart || head[kStart] == '{') return;  // what else may be wrong, the parser says
  const auto refuse = [&](const std::string& kind, const std::string& instead) {
    throw CheckpointError(
        fmt::format("{}: this is {}, not a checkpoint: give the checkpoint that it was exported from (a directory with "
                    "{}), or {}",
                    file.string(), kind, kWeightsFile, instead));
  };
  const std::string play = "export that with --light FILE and play as light:FILE";
  if (light::is_network_file(file)) {
    refuse("a file of the light engine", fmt::format("play as light:{}", file.string()));
  }
  if (head.starts_with("PK\3\4")) refuse("a TorchScript or PyTorch file", play);
  // Its first field is the version, the second the producer.
  const bool our_onnx = head.starts_with('\b') && head.find("quartozero") == 4;
  if (our_onnx || file.extension() == ".onnx") refuse("an ONNX file", play);
  throw CheckpointError(
      fmt::format("{}: not a checkpoint: expected a directory with {}, or that file", file.string(), kWeightsFile));
}

TensorFile read_weights(const fs::path& checkpoint) {
  const fs::path file = weights_file(checkpoint);
  require_safetensors(file);
  return read_safetensors(file);
}

}  // namespace

fs::path weights_file(const fs::path& named) {
  const fs::path checkpoint = or_shipped(named);
  const bool directory = fs::is_directory(checkpoint);
  const fs::path file = directory ? checkpoint / kWeightsFile : checkpoint;
  // A run's directory stands for its best weights.
  if (const fs::path best = checkpoint / "best" / kWeightsFile;
      directory && !fs::is_regular_file(file) && fs::is_regular_file(best)) {
    return best;
  }
  if (!fs::is_regular_file(file)) {
    throw CheckpointError(
        fmt::format("no checkpoint at '{}': expected a directory with {} or a .safetensors file; "
                    "`quartozero train` makes one, and checkpoints/zero is shipped",
                    checkpoint.string(), kWeightsFile));
  }
  return file;
}

WeightsInfo read_weights_info(const fs::path& checkpoint) {
  const TensorFile contents = read_weights(checkpoint);
  return parse_info(contents.metadata, contents.origin);
}

void save_weights(const Network& network, const fs::path& file, const WeightsInfo& info) {
  if (info.rules != network.config().rules) {
    throw CheckpointError(
        fmt::format("cannot save '{}': trained for rules '{}', but the network is built for '{}' "
                    "(set network.rules)",
                    file.string(), to_string(info.rules), to_string(network.config().rules)));
  }
  Metadata metadata = info.extra;
  for (const std::string& key : kOwnKeys) {
    if (metadata.contains(key)) throw CheckpointError(fmt::format("extra metadata must not be called '{}'", key));
  }
  NetworkConfig config = network.config();
  metadata["format"] = kWeightsFormat;
  metadata["network"] = config::to_json(config::visitor_of(config)).dump();
  metadata["rules"] = to_string(info.rules);
  metadata["track"] = name_of(info.track);
  metadata["step"] = std::to_string(info.step);
  write_safetensors(file, named_tensors(network), metadata);
}

std::shared_ptr<Network> load_network(const fs::path& checkpoint, WeightsInfo* info) {
  const TensorFile file = read_weights(checkpoint);
  WeightsInfo read = parse_info(file.metadata, file.origin);
  std::shared_ptr<Network> network = make_network(read.network);
  std::set<std::string> unknown;
  for (const auto& [name, tensor] : file.tensors) unknown.insert(name);
  const torch::NoGradGuard no_gradients;
  for (auto& [name, tensor] : named_tensors(*network)) {
    const torch::Tensor& stored = file.at(name);
    if (stored.sizes() != tensor.sizes() || stored.scalar_type() != tensor.scalar_type()) {
      throw CheckpointError(fmt::format("{}: tensor '{}' is {} [{}], the network needs {} [{}]", file.origin, name,
                                        c10::toString(stored.scalar_type()), fmt::join(stored.sizes().vec(), ", "),
                                        c10::toString(tensor.scalar_type()), fmt::join(tensor.sizes().vec(), ", ")));
    }
    tensor.copy_(stored);
    unknown.erase(name);
  }
  if (!unknown.empty()) {
    throw CheckpointError(
        fmt::format("{}: tensor '{}' does not belong to this network", file.origin, *unknown.begin()));
  }
  if (info != nullptr) *info = std::move(read);
  return network;
}

}  // namespace quarto
