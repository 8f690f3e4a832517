#include "base/scratch_directory.h"

#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp

#include <cerrno>
#include <cstring>
#include <string>

#include "base/file.h"

namespace quarto {

ScratchDirectory::ScratchDirectory(std::string_view purpose) {
  // Six capital X, for mkdtemp to replace.
  std::string name =
      (std::filesystem::temp_directory_path() / fmt::format("quartozero-{}-{}", purpose, std::string(6, 'X'))).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw FileError(fmt::format("cannot create a temporary directory '{}': {}", name, std::strerror(errno)));
  }
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace quarto
