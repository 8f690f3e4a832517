// How a program gets an evaluator out of a checkpoint, without seeing LibTorch.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "env/evaluator.h"
#include "model/checkpoint.h"

namespace quarto {

struct DeviceOptions {
  std::string device = "auto";  // auto (CUDA if there is any, else the CPU), cpu, cuda, cuda:N
  int threads = 1;              // LibTorch's own threads inside one operation; see configure_torch()
  // float32, bfloat16 or auto (resolve_precision). What is measured should not depend on the device, hence not auto.
  std::string precision = "float32";
};

// Throws CheckpointError, or DeviceError for a device that is not there. Calls configure_torch(options.threads).
std::unique_ptr<Evaluator> load_evaluator(const std::filesystem::path& checkpoint, const DeviceOptions& options = {});

}  // namespace quarto
