#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace quarto {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto fail = [&path](const char* what) {
    throw FileError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(errno)));
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("cannot open");
  struct stat status {};
  if (::fstat(file, &status) != 0) {
    ::close(file);
    fail("cannot read its size");
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(file);
    throw FileError(fmt::format("cannot read '{}': it is a directory", path.string()));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  ::close(file);
  if (memory == MAP_FAILED) fail("cannot map");
  bytes_ = {static_cast<const char*>(memory), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace quarto
