// The functions of torch_exports.cpp as the program has them (app/torch_library.h).
#include "app/torch_library.h"
#include "bench/networks.h"
#include "model/evaluators.h"
#include "model/light_export.h"
#include "model/onnx_export.h"
#include "model/runtime.h"
#include "model/torchscript_export.h"
#include "train/learner.h"

// Loads the library at the first call. Not exported: in the library the same names are the real functions.
#define FORWARD(result, function, parameters, ...)                \
  [[gnu::visibility("hidden")]] result function parameters {      \
    static const auto real = QUARTOZERO_TORCH_FUNCTION(function); \
    return real(__VA_ARGS__);                                     \
  }

namespace quarto {
using Path = std::filesystem::path;

FORWARD(void, configure_torch, (int threads), threads)
FORWARD(TorchDevices, torch_devices, ())
FORWARD(TorchInfo, torch_info, ())
FORWARD(BlasInfo, blas_info, ())
FORWARD(std::unique_ptr<Evaluator>, make_torch_evaluator,
        (const StoredWeights& weights, const std::string& device, Precision precision, int threads, bool or_processor),
        weights, device, precision, threads, or_processor)
FORWARD(LoadedNetwork, load_torchscript, (const Path& file, const std::string& device), file, device)
FORWARD(double, check_light_network, (const Path& checkpoint, const Path& file, int positions, std::uint64_t seed),
        checkpoint, file, positions, seed)
FORWARD(bool, onnx_available, ())
FORWARD(void, export_onnx, (const Path& checkpoint, const Path& out, const Metadata& notes), checkpoint, out, notes)
FORWARD(OnnxParity, check_onnx,
        (const Path& checkpoint, const Path& onnx, const Path& script, int positions, std::uint64_t seed), checkpoint,
        onnx, script, positions, seed)
FORWARD(std::string, missing_for_onnx_check, (const Path& script), script)
FORWARD(void, export_torchscript, (const Path& checkpoint, const Path& out, const Metadata& notes), checkpoint, out,
        notes)
FORWARD(double, check_torchscript, (const Path& checkpoint, const Path& file, int positions, std::uint64_t seed),
        checkpoint, file, positions, seed)
FORWARD(std::unique_ptr<Learner>, make_learner, (const RunConfig& config), config)

namespace bench {

FORWARD(void, run_light, (const LightOptions& options), options)
FORWARD(void, run_model, (const ModelOptions& options), options)

}  // namespace bench
}  // namespace quarto
