// A directory of one's own among the system's temporary ones, which goes away with the object.
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
};

}  // namespace quarto
