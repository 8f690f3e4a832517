// The functions of torch_exports.cpp as the program has them (app/torch_library.h).
#include "app/torch_library.h"
#include "bench/networks.h"
#include "model/evaluators.h"
#include "model/light_export.h"
#include "model/onnx_export.h"
#include "model/runtime.h"
#include "model/torchscript_export.h"
#include "train/learner.h"

// Not exported: in the library the same names are the real functions.
#define HERE [[gnu::visibility("hidden")]]
#define REAL(function) static const auto real = QUARTOZERO_TORCH_FUNCTION(function)

namespace quarto {
namespace fs = std::filesystem;

HERE void configure_torch(int threads) {
  REAL(configure_torch);
  real(threads);
}
HERE TorchDevices torch_devices() {
  REAL(torch_devices);
  return real();
}
HERE TorchInfo torch_info() {
  REAL(torch_info);
  return real();
}
HERE BlasInfo blas_info() {
  REAL(blas_info);
  return real();
}
HERE std::unique_ptr<Evaluator> make_torch_evaluator(const StoredWeights& weights, const std::string& device,
                                                     Precision precision, int threads) {
  REAL(make_torch_evaluator);
  return real(weights, device, precision, threads);
}
HERE double check_light_network(const fs::path& checkpoint, const fs::path& file, int positions, std::uint64_t seed) {
  REAL(check_light_network);
  return real(checkpoint, file, positions, seed);
}
HERE bool onnx_available() {
  REAL(onnx_available);
  return real();
}
HERE void export_onnx(const fs::path& checkpoint, const fs::path& out, const Metadata& notes) {
  REAL(export_onnx);
  real(checkpoint, out, notes);
}
HERE OnnxParity check_onnx(const fs::path& checkpoint, const fs::path& onnx, const fs::path& script, int positions,
                           std::uint64_t seed) {
  REAL(check_onnx);
  return real(checkpoint, onnx, script, positions, seed);
}
HERE std::string missing_for_onnx_check(const fs::path& script) {
  REAL(missing_for_onnx_check);
  return real(script);
}
HERE void export_torchscript(const fs::path& checkpoint, const fs::path& out, const Metadata& notes) {
  REAL(export_torchscript);
  real(checkpoint, out, notes);
}
HERE double check_torchscript(const fs::path& checkpoint, const fs::path& file, int positions, std::uint64_t seed) {
  REAL(check_torchscript);
  return real(checkpoint, file, positions, seed);
}
HERE std::unique_ptr<Learner> make_learner(const RunConfig& config) {
  REAL(make_learner);
  return real(config);
}

namespace bench {

HERE void run_light(const LightOptions& options) {
  REAL(run_light);
  real(options);
}
HERE void run_model(const ModelOptions& options) {
  REAL(run_model);
  real(options);
}

}  // namespace bench
}  // namespace quarto
