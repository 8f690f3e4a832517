// A web page and what belongs to it: the files of a folder, read once. No request opens a file, so none can reach one
// that it should not.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace quarto::serve {

class Site {
 public:
  struct File {
    std::string content, type, tag;  // the tag is for If-None-Match
  };

  Site() = default;
  // Every file below the folder whose name, and whose folders' names, do not begin with a dot. Throws FileError;
  // std::runtime_error if there are more than kMostFiles or kMostBytes.
  explicit Site(const std::filesystem::path& folder);

  // "/" and "/sub/" mean their index.html. Null if there is no such file.
  const File* find(const std::string& path) const;
  bool empty() const { return files_.empty(); }
  std::size_t size() const { return files_.size(); }

  static constexpr std::size_t kMostFiles = 4096, kMostBytes = std::size_t{16} << 20;  // replies are copies

 private:
  std::map<std::string, File> files_;  // by path, "/index.html"
};

}  // namespace quarto::serve
