// The parser of model/checkpoint.h, without the files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "base/json.h"
#include "base/number.h"
#include "env/notation.h"
#include "model/checkpoint.h"

namespace quarto {
namespace {

static_assert(std::endian::native == std::endian::little, "weights are copied as they lie in the file");

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
  try {
    info.network = info.network.resolved();
  } catch (const ConfigError& e) {
    throw CheckpointError(fmt::format("{}: metadata 'network': {}", origin, e.what()));
  }
  if (info.rules != info.network.rules) {
    throw CheckpointError(fmt::format("{}: metadata 'rules' is '{}', and the network is for '{}'", origin,
                                      to_string(info.rules), to_string(info.network.rules)));
  }
  const auto track = value_named<Track>(get("track"));
  if (!track) {
    throw CheckpointError(fmt::format("{}: metadata 'track' is '{}', expected one of {}", origin, get("track"),
                                      fmt::join(all_names<Track>(), ", ")));
  }
  info.track = *track;
  const auto step = number_from<std::uint64_t>(get("step"));
  if (!step) {
    throw CheckpointError(fmt::format("{}: metadata 'step' is '{}', expected a whole number", origin, get("step")));
  }
  info.step = *step;
  for (const auto& [key, text] : metadata) {
    if (std::find(kOwnMetadata.begin(), kOwnMetadata.end(), key) == kOwnMetadata.end()) info.extra[key] = text;
  }
  return info;
}

// A NaN would go through every layer and choose moves at random.
void require_finite(const StoredWeights& weights) {
  for (const TensorEntry& t : weights.header.tensors) {
    if (t.dtype != "F32") continue;
    for (std::size_t at = t.begin; at + sizeof(float) <= t.end; at += sizeof(float)) {
      float number = 0;
      std::memcpy(&number, weights.bytes.data() + at, sizeof number);
      if (!std::isfinite(number)) {
        throw CheckpointError(
            fmt::format("{}: tensor '{}' has a weight that is not a finite number", weights.origin, t.name));
      }
    }
  }
}

}  // namespace

Metadata metadata_of(NetworkConfig network, const WeightsInfo& info, const Metadata& more) {
  Metadata metadata = {{"format", kWeightsFormat},
                       {"network", config::to_json(config::visitor_of(network)).dump()},
                       {"rules", to_string(info.rules)},
                       {"track", std::string(name_of(info.track))},
                       {"step", std::to_string(info.step)}};
  for (const Metadata* each : {&info.extra, &more}) {
    for (const auto& [key, text] : *each) metadata[key] = text;
  }
  return metadata;
}

StoredWeights parse_weights(std::string bytes, const std::string& origin) {
  StoredWeights weights;
  weights.header = parse_safetensors_header(bytes, origin);
  weights.info = parse_info(weights.header.metadata, origin);
  weights.bytes = std::move(bytes);
  weights.origin = origin;
  require_finite(weights);
  return weights;
}

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
