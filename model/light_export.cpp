#include "model/light_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/checkpoint.h"
#include "model/pairs.h"

namespace quarto {

std::string light_network_bytes(const std::filesystem::path& checkpoint, light::Precision precision,
                                const Metadata& notes) {
  WeightsInfo info;
  const std::shared_ptr<Network> network = load_network(checkpoint, &info);
  const auto fail = [&](const std::string& what) {
    throw CheckpointError(fmt::format("{}: {}", weights_file(checkpoint).string(), what));
  };
  const auto* pairs = dynamic_cast<const PairsNetwork*>(network.get());
  if (!pairs) {
    fail(fmt::format("the light engine has networks of kind 'pairs' only, this one is '{}'; --onnx exports any kind",
                     network->config().kind));
  }
  light::NetworkInfo out;
  out.shape = pairs_shape(network->config());
  if (!light::PairsKernel::supports(out.shape)) {
    fail(fmt::format(
        "the light engine has no pairs network of width {}, {} blocks and a head of {} (widths 16, 32, 48 and 64; 1 to "
        "16 blocks; a head of 32); --onnx exports any",
        out.shape.width, out.shape.blocks, out.shape.head));
  }
  out.rules = info.rules;
  out.precision = precision;
  out.track = info.track;
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
    return light::network_file_bytes(out, pairs->flat_weights());
  } catch (const std::invalid_argument& e) {
    fail(e.what());
  }
  return {};
}

}  // namespace quarto
