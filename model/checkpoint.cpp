#include "model/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fstream>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "base/manifest.h"
#include "base/shipped.h"
#include "env/notation.h"
#include "light/network_file.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

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
    if (std::find(kOwnMetadata.begin(), kOwnMetadata.end(), key) == kOwnMetadata.end()) info.extra[key] = text;
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

StoredWeights read_weights(const fs::path& checkpoint) {
  const fs::path file = weights_file(checkpoint);
  require_safetensors(file);
  StoredWeights weights;
  weights.origin = file.string();
  try {
    weights.bytes = read_checked_file(file);
  } catch (const std::exception& e) {
    throw CheckpointError(e.what());
  }
  weights.header = parse_safetensors_header(weights.bytes, weights.origin);
  weights.info = parse_info(weights.header.metadata, weights.origin);
  return weights;
}

WeightsInfo read_weights_info(const fs::path& checkpoint) { return read_weights(checkpoint).info; }

light::Floats pairs_weights(const StoredWeights& weights) {
  const light::PairsLayout layout(pairs_shape(weights.info.network));
  light::Floats flat(static_cast<std::size_t>(layout.size), 0.0F);
  std::set<std::string> unknown;
  for (const TensorEntry& t : weights.header.tensors) unknown.insert(t.name);
  for (const auto& e : layout.entries) {
    const auto stored = std::find_if(weights.header.tensors.begin(), weights.header.tensors.end(),
                                     [&](const TensorEntry& t) { return t.name == e.name; });
    if (stored == weights.header.tensors.end())
      throw CheckpointError(fmt::format("{}: tensor '{}' is missing", weights.origin, e.name));
    if (stored->dtype != "F32" || stored->shape != std::vector<std::int64_t>{e.rows, e.cols}) {
      throw CheckpointError(fmt::format("{}: tensor '{}' is {} [{}], the network needs F32 [{}, {}]", weights.origin,
                                        e.name, stored->dtype, fmt::join(stored->shape, ", "), e.rows, e.cols));
    }
    std::memcpy(flat.data() + e.offset, weights.bytes.data() + stored->begin, stored->end - stored->begin);
    unknown.erase(e.name);
  }
  if (!unknown.empty()) {
    throw CheckpointError(
        fmt::format("{}: tensor '{}' does not belong to this network", weights.origin, *unknown.begin()));
  }
  return flat;
}

}  // namespace quarto
