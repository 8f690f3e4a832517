#include "base/directory_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"

namespace quarto {
namespace fs = std::filesystem;

int lock_file(const fs::path& file, std::string_view where) {
  const int descriptor = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (descriptor < 0) throw_file_error("cannot create", file, errno);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  const int error = errno;
  ::close(descriptor);
  if (error == EWOULDBLOCK) throw FileError(fmt::format("another process is at work {}", where));
  throw_file_error("cannot lock", file, error);
}

DirectoryLock::DirectoryLock(const fs::path& directory)
    : descriptor_(lock_file(directory / "lock", fmt::format("in '{}'", directory.string()))) {}

DirectoryLock::~DirectoryLock() { ::close(descriptor_); }

}  // namespace quarto
