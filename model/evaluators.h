// Loads evaluators from checkpoints and light files. This header does not include LibTorch.
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
  std::string device = "auto";  // auto (CUDA if available, else the CPU), cpu, cuda, cuda:N
  int threads = 1;              // LibTorch's own threads inside one operation; see configure_torch()
  // float32 by default: measured figures should not depend on the device.
  PrecisionChoice precision = PrecisionChoice::float32;
};

// Throws CheckpointError, and DeviceError if the device is not available or, named and not "auto", cannot be used. A pairs network that our kernel computes on
// the processor needs no LibTorch, and `quartozero` loads none (app/torch_library.h); for any other it calls
// configure_torch(options.threads).
std::unique_ptr<Evaluator> load_evaluator(const std::filesystem::path& checkpoint, const DeviceOptions& options = {});

// Loads a checkpoint, a light file or "torchscript:FILE" to `device`. LibTorch computes with one thread: the callers run positions in
// parallel. Throws what load_evaluator() and light::load_network_file() throw, and NetworkMismatch for a light file on
// any device but the CPU; CheckpointError for a TorchScript module that is none of a network.
LoadedNetwork load_network_from(const std::filesystem::path& path, const std::string& device);
NetworkLoader network_loader(const std::string& device);

// A TorchScript module of the caller's: forward(x) of float32 planes [N, 34, 4, 4] (env/encoding.h) or counts [N, C]
// (light/counts.h) gives logits (place [N, 16], give [N, 16], outcome [N, 3]), or (policy [N, 32], outcome [N, 3]). It is
// asked about two positions, to see that it does and which input it takes. The rules are those of the extra file
// "metadata.json" (model/torchscript_export.h), or `lines`. `device` is a result of resolve_device(). Throws
// CheckpointError.
LoadedNetwork load_torchscript(const std::filesystem::path& file, const std::string& device);

// What load_evaluator() does where LibTorch has a part in it. `device` is a result of resolve_device(); `or_processor`: see
// make_evaluator() in model/network_evaluator.h. Throws what load_evaluator() throws.
std::unique_ptr<Evaluator> make_torch_evaluator(const StoredWeights& weights, const std::string& device,
                                                Precision precision, int threads, bool or_processor);

}  // namespace quarto
