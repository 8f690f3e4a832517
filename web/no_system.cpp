// What base/ would ask an operating system, where there is none.
#include <cstdlib>
#include <new>

#include "base/file.h"
#include "base/memory.h"

namespace quarto {

std::optional<Memory> system_memory() { return std::nullopt; }

ZeroPages::ZeroPages(std::size_t bytes, bool /*large_pages*/) : bytes_(bytes), data_(std::calloc(bytes, 1)) {
  if (data_ == nullptr) throw std::bad_alloc();
}
ZeroPages::~ZeroPages() { std::free(data_); }

std::string read_file(const std::filesystem::path& path) {
  throw FileError(path.string() + ": there are no files in a web page");
}

}  // namespace quarto
