#include "model/evaluators.h"

#include <fmt/format.h>

#include "base/memory.h"
#include "light/evaluator.h"
#include "light/load.h"
#include "model/runtime.h"

namespace quarto {

namespace {

std::unique_ptr<Evaluator> evaluator_of(const StoredWeights& weights, const DeviceOptions& options) {
  const std::string device = resolve_device(options.device);
  const NetworkConfig& network = weights.info.network;
  if (device == "cpu" && network.kind == NetworkKind::pairs) {
    keep_freed_memory();
    return std::make_unique<PairsEvaluator>(light::PairsKernel::make(pairs_shape(network), pairs_weights(weights)));
  }
  return make_torch_evaluator(weights, device, resolve_precision(options.precision, device), options.threads,
                              options.device == "auto");
}

}  // namespace

std::unique_ptr<Evaluator> load_evaluator(const std::filesystem::path& checkpoint, const DeviceOptions& options) {
  return evaluator_of(read_weights(checkpoint), options);
}

LoadedNetwork load_network_from(const std::filesystem::path& named, const std::string& device) {
  const Weights found = find_weights(named);
  if (found.kind == Weights::Kind::torchscript) return load_torchscript(found.file, resolve_device(device));
  if (found.kind == Weights::Kind::light) {
    if (device != "auto" && resolve_device(device) != "cpu") {
      throw NetworkMismatch(
          fmt::format("{}: light files play on the CPU, not on '{}'", found.file.string(), device));
    }
    return load_light_network(found.file);
  }
  const StoredWeights weights = read_weights(found);
  const WeightsInfo& info = weights.info;
  LoadedNetwork network;
  network.rules = info.rules;
  network.info = {info.extra.begin(), info.extra.end()};
  network.info["track"] = name_of(info.track);
  network.info["step"] = std::to_string(info.step);
  network.evaluator = evaluator_of(weights, DeviceOptions{device, 1});
  return network;
}

NetworkLoader network_loader(const std::string& device) {
  return [device](const std::filesystem::path& path) { return load_network_from(path, device); };
}

}  // namespace quarto
