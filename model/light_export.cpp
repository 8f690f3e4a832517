#include "model/light_export.h"

#include <fmt/format.h>

#include <algorithm>

#include "light/integer_pairs.h"
#include "model/checkpoint.h"

namespace quarto {

light::LightNetwork to_light(const std::filesystem::path& checkpoint, const Metadata& notes) {
  const StoredWeights weights = read_weights(checkpoint);
  const WeightsInfo& info = weights.info;
  const auto fail = [&](const std::string& what) {
    throw CheckpointError(fmt::format("{}: {}", weights.origin, what));
  };
  if (info.network.kind != NetworkKind::pairs) {
    fail(fmt::format("the light player has networks of kind 'pairs' only, this one is '{}'; --onnx exports any kind",
                     name_of(info.network.kind)));
  }
  light::NetworkInfo out;
  out.shape = pairs_shape(info.network);
  out.rules = info.rules;
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
    const light::IntegerWeights integers = light::integer_weights(out.shape, pairs_weights(weights), out.rules);
    return {out, std::make_shared<const light::IntegerWeights>(integers), light::make_integer_kernel(integers)};
  } catch (const std::exception& e) {
    fail(e.what());
  }
  return {};
}

}  // namespace quarto
