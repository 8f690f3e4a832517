#include "train/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cstring>
#include <sstream>

#include "base/checksum.h"
#include "base/file.h"
#include "base/json.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

template <class T>
std::string little_endian(T value) {
  static_assert(std::endian::native == std::endian::little);
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string masked_crc(std::string_view bytes) {
  const std::uint32_t c = crc32c(bytes);
  return little_endian(((c >> 15) | (c << 17)) + 0xA282EAD8U);
}

// Writes protocol-buffer fields by hand: an event needs only three kinds.
std::string varint(std::uint64_t n) {
  std::string bytes;
  for (; n >= 0x80; n >>= 7) bytes += static_cast<char>((n & 0x7F) | 0x80);
  bytes += static_cast<char>(n);
  return bytes;
}
std::string bytes_field(int number, std::string_view content) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(content.size()) + std::string(content);
}
std::string varint_field(int number, std::uint64_t n) {
  return varint(static_cast<std::uint64_t>(number) << 3) + varint(n);
}
std::string double_field(int number, double x) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 1) + little_endian(x);
}
std::string float_field(int number, float x) {
  return varint(static_cast<std::uint64_t>(number) << 3 | 5) + little_endian(x);
}

double wall_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void add_numbers(const nlohmann::json& value, const std::string& tag, std::uint64_t step, EventFile& events) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items())
      add_numbers(child, tag.empty() ? key : tag + "/" + key, step, events);
  } else if (value.is_number()) {
    events.add_scalar(tag, value.get<double>(), step);
  }
}

}  // namespace

EventFile::EventFile(const fs::path& directory) {
  make_directories(directory);
  const auto now = static_cast<std::uint64_t>(wall_time());
  path_ = directory / fmt::format("events.out.tfevents.{:010}.quartozero.{}", now, ::getpid());
  add_record(double_field(1, wall_time()) + bytes_field(3, "brain.Event:2"));
  flush();
}

void EventFile::add_scalar(const std::string& tag, double value, std::uint64_t step) {
  const std::string scalar = bytes_field(1, tag) + float_field(2, static_cast<float>(value));
  add_record(double_field(1, wall_time()) + varint_field(2, step) + bytes_field(5, bytes_field(1, scalar)));
}

void EventFile::add_record(std::string_view event) {
  const std::string length = little_endian(static_cast<std::uint64_t>(event.size()));
  pending_ += length + masked_crc(length);
  pending_ += event;
  pending_ += masked_crc(event);
}

void EventFile::flush() {
  append_file(path_, pending_);
  pending_.clear();
}

Metrics::Metrics(const fs::path& directory, std::uint64_t keep_to)
    : lines_(directory / "metrics.jsonl"), events_(directory / "tensorboard") {
  if (!fs::exists(lines_)) return;
  std::istringstream old(read_file(lines_));
  std::string kept;
  for (std::string line; std::getline(old, line);) {
    const auto json = json_or_null(line);
    if (!json.is_object()) continue;                // a line that a crash has cut short
    const auto iteration = json.find("iteration");  // one that is no number was never written: its line goes, too
    if (iteration == json.end() || (iteration->is_number() && iteration->get<double>() <= static_cast<double>(keep_to)))
      kept += line + "\n";
  }
  write_file_atomic(lines_, kept);
}

void Metrics::amend(std::uint64_t iteration, const nlohmann::json& fields) {
  std::string text = fs::exists(lines_) ? read_file(lines_) : "";
  const auto begin = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
  const std::size_t last = begin == std::string::npos ? 0 : begin + 1;
  nlohmann::json line = json_or_null(text.substr(last));
  if (!line.is_object() || line.value("iteration", nlohmann::json()) != iteration) {
    line = fields;
    line["iteration"] = iteration;
    return write(line);
  }
  line.update(fields);
  write_file_atomic(lines_, text.substr(0, last) + line.dump() + "\n");
  add_numbers(fields, "", iteration, events_);
  events_.flush();
}

void Metrics::write(const nlohmann::json& line) {
  append_file(lines_, line.dump() + "\n");
  add_numbers(line, "", line.at("iteration").get<std::uint64_t>(), events_);
  events_.flush();
}

}  // namespace quarto
