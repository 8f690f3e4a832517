// How a program gets an evaluator out of a checkpoint or a file of the light engine, without seeing LibTorch.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "env/evaluator.h"
#include "env/network_loader.h"
#include "model/checkpoint.h"
#include "model/runtime.h"

namespace quarto {

struct DeviceOptions {
  std::string device = "auto";  // auto (CUDA if there is any, else the CPU), cpu, cuda, cuda:N
  int threads = 1;              // LibTorch's own threads inside one operation; see configure_torch()
  // Not automatic by default: measured figures should not depend on the device.
  PrecisionChoice precision = PrecisionChoice::float32;
};

// Throws CheckpointError, or DeviceError for a device that is not there. Calls configure_torch(options.threads).
std::unique_ptr<Evaluator> load_evaluator(const std::filesystem::path& checkpoint, const DeviceOptions& options = {});

// A checkpoint, or a file of the light engine, on `device`. LibTorch computes with one thread: parallelism is over
// positions. Throws what load_evaluator() and light::load_network_file() throw, and NetworkMismatch when a file of the
// light engine is to run on anything but the CPU.
LoadedNetwork load_network_from(const std::filesystem::path& path, const std::string& device);
NetworkLoader network_loader(const std::string& device);

// The same for one rule set: NetworkMismatch if the network was trained for the other.
std::shared_ptr<Evaluator> load_evaluator_for(Rules rules, const std::filesystem::path& path,
                                              const std::string& device);

}  // namespace quarto
