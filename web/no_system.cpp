// What base/ would ask an operating system, where there is none.
#include "base/file.h"
#include "base/mapped_file.h"
#include "base/memory.h"

namespace quarto {

std::optional<Memory> system_memory() { return std::nullopt; }

MappedFile::MappedFile(const std::filesystem::path& path) {
  throw FileError(path.string() + ": there are no files in a web page");
}
MappedFile::~MappedFile() { bytes_ = {}; }

}  // namespace quarto
