// Reads and writes named LibTorch tensors as safetensors files (format: model/safetensors_header.h).
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "model/safetensors_header.h"

namespace quarto {

// The format's name of an element type ("F32"); null for one that it has none for here.
const char* dtype_name(torch::ScalarType type);

using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

struct TensorFile {
  NamedTensors tensors;  // on the CPU, contiguous, in file order
  Metadata metadata;

  // Throws CheckpointError with the name when there is no such tensor.
  const torch::Tensor& at(const std::string& name) const;
  std::string origin;
};

// Accepts float32, float64, int32, int64, uint8 and bool, on any device. The same input gives the same bytes.
std::string to_safetensors(const NamedTensors& tensors, const Metadata& metadata = {});
// Writes the file whole or not at all (base/file.h). Throws FileError.
void write_safetensors(const std::filesystem::path& file, const NamedTensors& tensors, const Metadata& metadata = {});

TensorFile parse_safetensors(std::string_view bytes, const std::string& origin);  // throws CheckpointError
// Throws CheckpointError, also when the file does not exist.
TensorFile read_safetensors(const std::filesystem::path& file);

}  // namespace quarto
