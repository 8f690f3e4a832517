// What the program calls of the library that LibTorch is in (app/torch_library.h). Part of that library.
#include <dlfcn.h>

#include "app/torch_library.h"
#include "bench/networks.h"
#include "interface.h"
#include "model/evaluators.h"
#include "model/light_export.h"
#include "model/onnx_export.h"
#include "model/runtime.h"
#include "model/torchscript_export.h"
#include "train/learner.h"

extern "C" {
extern const char* const quartozero_torch_interface;
const char* const quartozero_torch_interface = QUARTOZERO_INTERFACE;

// A gpu::Opener. dlopen() uses the run path of its caller, which would be another one if the compiler made a jump of
// the call: hence volatile.
void* quartozero_torch_open(const char* name);
void* quartozero_torch_open(const char* name) {
  void* volatile library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return library;
}
}

namespace quarto {

QUARTOZERO_TORCH_EXPORT(configure_torch)
QUARTOZERO_TORCH_EXPORT(torch_devices)
QUARTOZERO_TORCH_EXPORT(torch_info)
QUARTOZERO_TORCH_EXPORT(blas_info)
QUARTOZERO_TORCH_EXPORT(make_torch_evaluator)
QUARTOZERO_TORCH_EXPORT(load_torchscript)
QUARTOZERO_TORCH_EXPORT(check_light_network)
QUARTOZERO_TORCH_EXPORT(onnx_available)
QUARTOZERO_TORCH_EXPORT(export_onnx)
QUARTOZERO_TORCH_EXPORT(check_onnx)
QUARTOZERO_TORCH_EXPORT(missing_for_onnx_check)
QUARTOZERO_TORCH_EXPORT(export_torchscript)
QUARTOZERO_TORCH_EXPORT(check_torchscript)
QUARTOZERO_TORCH_EXPORT(make_learner)

namespace bench {

QUARTOZERO_TORCH_EXPORT(run_light)
QUARTOZERO_TORCH_EXPORT(run_model)

}  // namespace bench
}  // namespace quarto
