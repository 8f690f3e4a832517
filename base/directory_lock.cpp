#include "base/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace quarto {
namespace fs = std::filesystem;

DirectoryLock::DirectoryLock(const fs::path& directory) {
  const fs::path path = directory / "lock";
  descriptor_ = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw FileError(fmt::format("cannot create '{}': {}", path.string(), std::strerror(errno)));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    ::close(descriptor_);
    if (error == EWOULDBLOCK) throw FileError(fmt::format("another process is at work in '{}'", directory.string()));
    throw FileError(fmt::format("cannot lock '{}': {}", path.string(), std::strerror(error)));
  }
}

DirectoryLock::~DirectoryLock() { ::close(descriptor_); }

}  // namespace quarto
