// A file for parsers that read from the disk: in memory where the system has such a place.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace quarto::fuzz {

// One for each process; it goes when the process ends in order.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& ending)
      : path_((std::filesystem::exists("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                   : std::filesystem::temp_directory_path()) /
              ("fuzz-" + std::to_string(::getpid()) + ending)) {}
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);  // a target may make a folder of it
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& write(std::string_view bytes) {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    ::close(file);
    return path_;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace quarto::fuzz
