// A directory of one's own among the system's temporary ones, which goes away with the object. One that a killed
// process has left goes away when the next one for the same purpose is made: its lock (flock on the directory) is free.
#pragma once

#include <filesystem>
#include <string_view>

namespace quarto {

class ScratchDirectory {
 public:
  // `purpose` is in its name, for whoever finds it after a crash. Throws FileError.
  explicit ScratchDirectory(std::string_view purpose);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // a descriptor
};

}  // namespace quarto
