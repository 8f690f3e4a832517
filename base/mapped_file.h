// A file as memory: read when touched, shared between processes, never copied.
#pragma once

#include <filesystem>
#include <string_view>

namespace quarto {

// Read-only. The bytes stay valid, and where they are, as long as the object lives; safe to read from any thread.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);  // throws FileError
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

}  // namespace quarto
