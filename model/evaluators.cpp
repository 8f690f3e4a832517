#include "model/evaluators.h"

#include "model/network_evaluator.h"
#include "model/runtime.h"

namespace quarto {

std::unique_ptr<Evaluator> load_evaluator(const std::filesystem::path& checkpoint, const DeviceOptions& options) {
  const std::string device = resolve_device(options.device);
  const Precision precision = resolve_precision(options.precision, device);
  configure_torch(options.threads);
  return make_evaluator(load_network(checkpoint), torch::Device(device), precision);
}

}  // namespace quarto
