#include "light/load.h"

#include "light/evaluator.h"
#include "light/network_file.h"
#include "light/weights.h"

namespace quarto {

namespace {

// The metadata of a network as texts, for display.
std::map<std::string, std::string> describe(const light::NetworkInfo& info) {
  std::map<std::string, std::string> about = info.extra;
  about["network"] = "pairs, width " + std::to_string(info.shape.width) + ", " + std::to_string(info.shape.blocks) +
                     (info.shape.blocks == 1 ? " block" : " blocks");
  about["track"] = info.track;
  about["step"] = std::to_string(info.step);
  return about;
}

}  // namespace

LoadedNetwork load_light_network(const std::filesystem::path& path) {
  const Weights weights = find_weights(path, Weights::Kind::light);
  light::LightNetwork network = light::parse_network_file(weights.read(), weights.file.string());
  return {std::make_shared<PairsEvaluator>(std::move(network.kernel)), network.info.rules, describe(network.info)};
}

}  // namespace quarto
