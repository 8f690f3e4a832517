#include "model/light_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/checkpoint.h"

namespace quarto {

std::string light_network_bytes(const std::filesystem::path& checkpoint, light::Precision precision,
                                const Metadata& notes) {
  const StoredWeights weights = read_weights(checkpoint);
  const WeightsInfo& info = weights.info;
  const auto fail = [&](const std::string& what) {
    throw CheckpointError(fmt::format("{}: {}", weights.origin, what));
  };
  if (info.network.kind != NetworkKind::pairs) {
    fail(fmt::format("the light engine has networks of kind 'pairs' only, this one is '{}'; --onnx exports any kind",
                     name_of(info.network.kind)));
  }
  light::NetworkInfo out;
  out.shape = pairs_shape(info.network);
  out.rules = info.rules;
  out.precision = precision;
  out.track = name_of(info.track);
  out.step = info.step;
  for (const Metadata* more : std::initializer_list<const Metadata*>{&info.extra, &notes}) {
    for (const auto& [name, value] : *more) {
      std::string key = name, text = value;
      std::replace(key.begin(), key.end(), ' ', '_');
      std::replace(text.begin(), text.end(), '\n', ' ');
      out.extra[key] = text;
    }
  }
  try {
    return light::network_file_bytes(out, pairs_weights(weights));
  } catch (const std::invalid_argument& e) {
    fail(e.what());
  }
  return {};
}

}  // namespace quarto
