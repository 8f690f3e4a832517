#include "model/safetensors.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/file.h"
#include "base/manifest.h"

namespace quarto {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

struct Dtype {
  const char* name;
  torch::ScalarType type;
};
constexpr Dtype kDtypes[] = {{"F32", torch::kFloat32}, {"F64", torch::kFloat64}, {"I64", torch::kInt64},
                             {"I32", torch::kInt32},   {"U8", torch::kUInt8},    {"BOOL", torch::kBool}};

torch::ScalarType scalar_type(const std::string& dtype) {
  for (const Dtype& d : kDtypes) {
    if (dtype == d.name) return d.type;
  }
  throw CheckpointError(fmt::format("dtype '{}' is not known", dtype));
}

}  // namespace

const char* dtype_name(torch::ScalarType type) {
  for (const Dtype& d : kDtypes) {
    if (d.type == type) return d.name;
  }
  return nullptr;
}

const torch::Tensor& TensorFile::at(const std::string& name) const {
  for (const auto& [other, tensor] : tensors) {
    if (other == name) return tensor;
  }
  throw CheckpointError(fmt::format("{}: tensor '{}' is missing", origin, name));
}

std::string to_safetensors(const NamedTensors& tensors, const Metadata& metadata) {
  std::vector<TensorEntry> entries;
  for (const auto& [name, tensor] : tensors) {
    const char* dtype = dtype_name(tensor.scalar_type());
    if (!dtype) {
      throw CheckpointError(
          fmt::format("tensor '{}' has a type that cannot be written: {}", name, c10::toString(tensor.scalar_type())));
    }
    entries.push_back({name, dtype, tensor.sizes().vec(), 0, 0});
  }
  std::string bytes = make_safetensors_header(entries, metadata);
  for (const auto& [name, tensor] : tensors) {
    const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
    bytes.append(static_cast<const char*>(plain.data_ptr()), plain.nbytes());
  }
  return bytes;
}

void write_safetensors(const std::filesystem::path& file, const NamedTensors& tensors, const Metadata& metadata) {
  write_file_atomic(file, to_safetensors(tensors, metadata));
}

TensorFile parse_safetensors(std::string_view bytes, const std::string& origin) {
  SafetensorsHeader header = parse_safetensors_header(bytes, origin);
  TensorFile file{{}, std::move(header.metadata), origin};
  for (const TensorEntry& entry : header.tensors) {
    torch::Tensor tensor = torch::empty(entry.shape, scalar_type(entry.dtype));
    if (entry.end > entry.begin) std::memcpy(tensor.data_ptr(), bytes.data() + entry.begin, entry.end - entry.begin);
    file.tensors.emplace_back(entry.name, tensor);
  }
  return file;
}

TensorFile read_safetensors(const std::filesystem::path& file) {
  std::string bytes;
  try {
    bytes = read_checked_file(file);
  } catch (const std::exception& e) {
    throw CheckpointError(e.what());
  }
  return parse_safetensors(bytes, file.string());
}

}  // namespace quarto
