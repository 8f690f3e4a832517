#include "model/evaluators.h"

#include <fmt/format.h>

#include "base/shipped.h"
#include "light/evaluator.h"
#include "light/load.h"
#include "model/runtime.h"

namespace quarto {

std::unique_ptr<Evaluator> load_evaluator(const std::filesystem::path& checkpoint, const DeviceOptions& options) {
  const std::string device = resolve_device(options.device);
  if (device == "cpu") {
    const StoredWeights weights = read_weights(checkpoint);
    if (weights.info.network.kind == NetworkKind::pairs &&
        light::PairsKernel::supports(pairs_shape(weights.info.network))) {
      keep_freed_memory();
      return std::make_unique<PairsEvaluator>(
          light::PairsKernel::make(pairs_shape(weights.info.network), pairs_weights(weights)));
    }
  }
  return load_torch_evaluator(checkpoint, device, resolve_precision(options.precision, device), options.threads);
}

LoadedNetwork load_network_from(const std::filesystem::path& named, const std::string& device) {
  const std::filesystem::path path = or_shipped(named);
  if (std::filesystem::exists(path) && light::is_network_file(path)) {
    if (device != "auto" && resolve_device(device) != "cpu") {
      throw NetworkMismatch(
          fmt::format("{}: the light engine's files play on the CPU, not on '{}'", path.string(), device));
    }
    return load_light_network(path);
  }
  const WeightsInfo info = read_weights_info(path);
  LoadedNetwork network;
  network.rules = info.rules;
  network.info = {info.extra.begin(), info.extra.end()};
  network.info["track"] = name_of(info.track);
  network.info["step"] = std::to_string(info.step);
  network.evaluator = load_evaluator(path, DeviceOptions{device, 1});
  return network;
}

NetworkLoader network_loader(const std::string& device) {
  return [device](const std::filesystem::path& path) { return load_network_from(path, device); };
}

std::shared_ptr<Evaluator> load_evaluator_for(Rules rules, const std::filesystem::path& path,
                                              const std::string& device) {
  const LoadedNetwork network = load_network_from(path, device);
  require_rules(network, path, rules);
  return network.evaluator;
}

}  // namespace quarto
