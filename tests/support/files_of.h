// What a directory holds.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/file.h"

namespace quarto {

// All its files, and those of directories in it, by name.
inline std::map<std::string, std::string> files_of(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) {
      files[std::filesystem::relative(entry.path(), directory).string()] = read_file(entry.path());
    }
  }
  return files;
}

}  // namespace quarto
