// The safetensors format: named tensors in one file. Any language can read it, and reading executes no code from the
// file.
//
//     8 bytes    length H of the header, little-endian
//     H bytes    JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ...,
//                       "__metadata__": {"key": "text", ...}}, padded with blanks
//     the rest   the tensors' bytes, row-major and little-endian; offsets count from here
//
// This header reads and writes the first two parts and does not include LibTorch. It checks everything: in an accepted
// file the tensors fill the space from the end of the header to the end of the file, without gap or overlap.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "light/weights.h"

namespace quarto {

using Metadata = std::map<std::string, std::string>;

struct TensorEntry {
  std::string name;
  std::string dtype;  // "F32", "F64", "I64", "I32", "U8", "BOOL"
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;  // bytes, from the start of the file

  friend bool operator==(const TensorEntry&, const TensorEntry&) = default;
};

struct SafetensorsHeader {
  Metadata metadata;
  std::vector<TensorEntry> tensors;  // in file order
};

// The bytes of one element; 0 for a type that this program does not use.
std::size_t dtype_size(std::string_view dtype);

// Throws CheckpointError. `origin` is the file name for messages.
SafetensorsHeader parse_safetensors_header(std::string_view file, const std::string& origin);

// The length and the header for tensors in this order. Sets begin and end of each. Names must be unique.
std::string make_safetensors_header(std::vector<TensorEntry>& tensors, const Metadata& metadata);

}  // namespace quarto
