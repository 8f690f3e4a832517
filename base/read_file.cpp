// What of file.h needs the C++ library alone, and no system.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

#include "base/file.h"
#include "base/nearest.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

// The most that is read of a pipe or a device, which need not end.
constexpr std::size_t kMostOfStream = std::size_t{64} << 20;

// Not by iterators over the stream's buffer: these let what it throws at a read error through.
std::string read_stream(std::istream& in, const fs::path& path, std::size_t most, std::size_t expected = 0) {
  std::string bytes;
  bytes.reserve(expected);
  std::array<char, 1 << 16> part{};
  while (in.read(part.data(), part.size()) || in.gcount() > 0) {
    bytes.append(part.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > most) {
      throw FileError(fmt::format("cannot read '{}': it does not end after {} MiB", path.string(), most >> 20));
    }
  }
  if (in.bad()) throw_file_error("cannot read", path, errno);
  return bytes;
}

}  // namespace

void throw_file_error(const char* doing, const fs::path& path, int error) {
  throw FileError(fmt::format("{} '{}': {}", doing, path.string(), std::strerror(error)));
}

std::string read_file(const fs::path& path) {
  std::error_code unknown;
  if (fs::is_directory(path, unknown))
    throw FileError(fmt::format("cannot read '{}': it is a directory", path.string()));
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const int error = errno;
    if (const fs::path close = error == ENOENT ? nearest_file(path) : fs::path(); !close.empty()) {
      throw FileError(fmt::format("cannot open '{}': {} (did you mean '{}'?)", path.string(), std::strerror(error),
                                  close.string()));
    }
    throw_file_error("cannot open", path, error);
  }
  if (!fs::is_regular_file(path, unknown)) return read_stream(in, path, kMostOfStream);
  const auto size = fs::file_size(path, unknown);
  const std::size_t expected = unknown ? 0 : static_cast<std::size_t>(size);
  // Some files of /proc are longer than they say.
  return read_stream(in, path, expected + kMostOfStream, expected);
}

std::string read_standard_input() { return read_stream(std::cin, "standard input", kMostOfStream); }

void require_output_written() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) || !std::cout)
    throw FileError("standard output could not be written: is the disk full?");
}

fs::path directory_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

}  // namespace quarto
