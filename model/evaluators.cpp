#include "model/evaluators.h"

#include "model/network_evaluator.h"
#include "model/runtime.h"

namespace quarto {

std::unique_ptr<Evaluator> load_evaluator(const std::filesystem::path& checkpoint, const DeviceOptions& options) {
  const torch::Device device(resolve_device(options.device));
  configure_torch(options.threads);
  return make_evaluator(load_network(checkpoint), device);
}

}  // namespace quarto
