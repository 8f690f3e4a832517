// The files of a web page, read from a folder once. Requests never open a file, so no request can reach a file outside
// the folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace quarto::serve {

class Site {
 public:
  struct File {
    std::string content, type, tag;  // the tag is the ETag header's value
  };

  Site() = default;
  // Reads every file below the folder, except files and folders whose names begin with a dot. Throws FileError;
  // std::runtime_error if there are more than kMostFiles files or kMostBytes bytes.
  explicit Site(const std::filesystem::path& folder);

  // "/" and "/sub/" stand for their index.html. Null if there is no such file.
  const File* find(const std::string& path) const;
  bool empty() const { return files_.empty(); }
  std::size_t size() const { return files_.size(); }

  static constexpr std::size_t kMostFiles = 4096, kMostBytes = std::size_t{16} << 20;  // each reply copies a file

 private:
  std::map<std::string, File> files_;  // by path, "/index.html"
};

}  // namespace quarto::serve
