// The file of a network, found by what people name: a checkpoint's folder or its weights, a run's folder, a light
// file, a shipped network. Every program looks here; what reads the bytes is light/load.h and model/checkpoint.h.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace quarto {

// In the folder of a checkpoint: its weights, and beside them a light file.
inline constexpr const char* kWeightsFile = "model.safetensors";
inline constexpr const char* kLightFile = "model.light";

// An error in a checkpoint or tensor file. The message names the file, the tensor or key, and the expected value.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Weights {
  enum class Kind { checkpoint, light, torchscript };
  std::filesystem::path file;
  Kind kind;
  // With which find_weights() finds it again: the file, behind "torchscript:" for a module.
  std::string name() const;
  // Its bytes; if its folder has checksums, they agree (base/manifest.h). Throws CheckpointError or
  // light::NetworkFileError when they do not, FileError.
  std::string read() const;
};

// Before the path of a TorchScript module, which is a program as well as a network: only whoever says so runs one.
inline constexpr std::string_view kTorchScript = "torchscript:";

// `named` may also be that of a shipped network ("zero"), or begin with checkpoints/ (or_shipped() in base/shipped.h).
// With `kind` only weights of this kind: of a folder its model.light or its model.safetensors; without, a folder stands
// for its model.safetensors, and a file for what is in it. A run's folder stands for the weights in its best/. Throws
// CheckpointError when there is none or the file is an export (ONNX, TorchScript, a light file), with what to
// give instead; FileError for a folder without model.light. "torchscript:FILE" is that module, if `kind` is not given.
Weights find_weights(const std::filesystem::path& named, std::optional<Weights::Kind> kind = {});

}  // namespace quarto
