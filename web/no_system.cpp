// What base/ would ask an operating system, where there is none.
#include "base/file.h"
#include "base/memory.h"

namespace quarto {

std::optional<Memory> system_memory() { return std::nullopt; }

std::string read_file(const std::filesystem::path& path) {
  throw FileError(path.string() + ": there are no files in a web page");
}

}  // namespace quarto
