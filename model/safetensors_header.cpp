#include "model/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "base/json.h"

namespace quarto {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
// Some thousand times what a network's header has: memory is bounded before anything is parsed. (The reference
// implementation allows 100 MB, which takes 2 GB to parse.)
constexpr std::uint64_t kMaxHeader = 4 << 20;

[[noreturn]] void fail(const std::string& origin, const std::string& what) {
  throw CheckpointError(fmt::format("{}: {}", origin, what));
}

std::uint64_t read_offset(const nlohmann::json& json, const std::string& origin, const std::string& name) {
  if (!json.is_number_unsigned()) fail(origin, fmt::format("tensor '{}': offsets must be whole numbers", name));
  return json.get<std::uint64_t>();
}

TensorEntry parse_entry(const std::string& name, const nlohmann::json& json, const std::string& origin) {
  const auto wrong = [&](const std::string& what) { fail(origin, fmt::format("tensor '{}': {}", name, what)); };
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets")) {
    wrong("expected exactly dtype, shape and data_offsets");
  }
  TensorEntry entry;
  entry.name = name;
  if (!json["dtype"].is_string()) wrong("dtype must be a text");
  entry.dtype = json["dtype"].get<std::string>();
  std::uint64_t bytes = dtype_size(entry.dtype);
  if (bytes == 0) wrong(fmt::format("dtype '{}' is not one of BOOL, U8, I32, I64, F32, F64", entry.dtype));
  if (!json["shape"].is_array()) wrong("shape must be a list");
  for (const auto& n : json["shape"]) {
    if (!n.is_number_unsigned() || n.get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max()) {
      wrong("shape must be a list of whole numbers");
    }
    const auto length = n.get<std::uint64_t>();
    if (length != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / length) wrong("shape is too large");
    bytes *= length;
    entry.shape.push_back(static_cast<std::int64_t>(length));
  }
  const auto& offsets = json["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2) wrong("data_offsets must be two numbers");
  entry.begin = read_offset(offsets[0], origin, name);
  entry.end = read_offset(offsets[1], origin, name);
  if (entry.end < entry.begin || entry.end - entry.begin != bytes) {
    wrong(fmt::format("its shape and dtype need {} bytes, its offsets are {} to {}", bytes, entry.begin, entry.end));
  }
  return entry;
}

}  // namespace

std::size_t dtype_size(std::string_view dtype) {
  if (dtype == "BOOL" || dtype == "U8") return 1;
  if (dtype == "F32" || dtype == "I32") return 4;
  if (dtype == "F64" || dtype == "I64") return 8;
  return 0;
}

SafetensorsHeader parse_safetensors_header(std::string_view file, const std::string& origin) {
  if (file.size() < kLengthBytes) {
    fail(origin, fmt::format("truncated: {} bytes, a safetensors file starts with an 8-byte length", file.size()));
  }
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<std::uint64_t>(static_cast<unsigned char>(file[i])) << (8 * i);
  }
  if (length > kMaxHeader) fail(origin, fmt::format("not a safetensors file: its header would be {} bytes", length));
  if (length > file.size() - kLengthBytes) {
    fail(origin, fmt::format("truncated: the header needs {} bytes, {} are there", length, file.size() - kLengthBytes));
  }
  // nlohmann keeps the last of several equal keys without an error, so the parser callback checks the names.
  std::set<std::string> names;
  std::string twice;
  const auto watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& value) {
    if (event == nlohmann::json::parse_event_t::key && depth == 1 && !names.insert(value.get<std::string>()).second) {
      twice = value.get<std::string>();
    }
    return true;
  };
  nlohmann::json json;
  try {
    json = parse_json(file.substr(kLengthBytes, length), watch);
  } catch (const JsonError& e) {
    fail(origin, fmt::format("the header is not valid JSON: {}", e.what()));
  }
  if (!json.is_object()) fail(origin, "the header is not a JSON object");
  if (!twice.empty()) fail(origin, fmt::format("tensor '{}' appears twice", twice));

  SafetensorsHeader header;
  for (const auto& [name, value] : json.items()) {
    if (name != "__metadata__") {
      header.tensors.push_back(parse_entry(name, value, origin));
      continue;
    }
    if (!value.is_object()) fail(origin, "__metadata__ is not a JSON object");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail(origin, fmt::format("metadata '{}' is not a text", key));
      header.metadata[key] = text.get<std::string>();
    }
  }
  std::sort(header.tensors.begin(), header.tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  const std::uint64_t data = kLengthBytes + length, available = file.size() - data;
  std::uint64_t at = 0;
  for (TensorEntry& t : header.tensors) {
    if (t.begin != at) {
      fail(origin, fmt::format("tensor '{}' starts at {} where {} was expected: {}", t.name, t.begin, at,
                               t.begin < at ? "tensors overlap" : "there is a gap"));
    }
    if (t.end > available) {
      fail(origin,
           fmt::format("truncated: tensor '{}' ends at byte {} of the data, {} are there", t.name, t.end, available));
    }
    at = t.end;
    t.begin += data;
    t.end += data;
  }
  if (at != available) fail(origin, fmt::format("{} bytes after the last tensor", available - at));
  return header;
}

std::string make_safetensors_header(std::vector<TensorEntry>& tensors, const Metadata& metadata) {
  nlohmann::json json = nlohmann::json::object();
  if (!metadata.empty()) json["__metadata__"] = metadata;
  std::uint64_t at = 0;
  for (TensorEntry& t : tensors) {
    std::uint64_t bytes = dtype_size(t.dtype);
    for (const std::int64_t n : t.shape) bytes *= static_cast<std::uint64_t>(n);
    t.begin = at;
    t.end = at + bytes;
    at = t.end;
    if (json.contains(t.name)) throw CheckpointError(fmt::format("tensor '{}' is to be written twice", t.name));
    json[t.name] = {{"dtype", t.dtype}, {"shape", t.shape}, {"data_offsets", {t.begin, t.end}}};
  }
  std::string text = json.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // aligns the data
  std::string header(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i) header[i] = static_cast<char>((text.size() >> (8 * i)) & 0xFF);
  header += text;
  for (TensorEntry& t : tensors) {
    t.begin += header.size();
    t.end += header.size();
  }
  return header;
}

}  // namespace quarto
