#include "model/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/number.h"
#include "gpu/cuda.h"

namespace quarto {
namespace {

// False spares loading LibTorch to ask it.
bool may_have_gpu() {
#ifdef QUARTOZERO_LIBTORCH_HAS_GPU
  // To a LibTorch that was built for them AMD's GPUs are CUDA devices; their driver has this file.
  return gpu::driver_installed() || std::filesystem::exists("/dev/kfd");
#else
  return false;
#endif
}

}  // namespace

std::string resolve_device(const std::string& device) {
  if (device == "cpu") return device;
  if (device == "auto") return may_have_gpu() && torch_devices().cuda > 0 ? "cuda:0" : "cpu";
  int number = 0;
  if (device != "cuda") {
    const std::string_view digits = std::string_view(device).substr(std::min<std::size_t>(5, device.size()));
    number = number_from<int>(digits).value_or(-1);
    if (!device.starts_with("cuda:") || number < 0) {
      throw DeviceError(fmt::format("device '{}' is not known: expected auto, cpu, cuda or cuda:N", device));
    }
  }
  const TorchDevices devices = torch_devices();
  if (devices.cuda == 0) {
    throw DeviceError(fmt::format(
        "device '{}' was asked for, but {}", device,
        devices.cuda_built
            ? "no CUDA device was found (quartozero doctor says why); use the device 'cpu'"
            : "this LibTorch was built without CUDA: use the device 'cpu', or for a GPU the program that `make "
              "torch` builds (docs/gpu.md)"));
  }
  if (number >= devices.cuda) {
    throw DeviceError(fmt::format("device '{}' was asked for, but there are {} CUDA devices", device, devices.cuda));
  }
  return fmt::format("cuda:{}", number);
}

int device_number(const std::string& device) { return std::stoi(device.substr(device.find(':') + 1)); }

Precision resolve_precision(PrecisionChoice precision, const std::string& device) {
  if (precision == PrecisionChoice::automatic) {
    return device.starts_with("cuda") ? Precision::bfloat16 : Precision::float32;
  }
  return precision == PrecisionChoice::bfloat16 ? Precision::bfloat16 : Precision::float32;
}

}  // namespace quarto
