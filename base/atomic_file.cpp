#include "base/atomic_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/directory_lock.h"
#include "base/file.h"
#include "base/replacement.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kBuffer = 1 << 20;

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : path_(followed(path)) {
  std::error_code unknown;
  if (is_device(path) || fs::is_directory(path_, unknown)) {
    throw FileError(fmt::format("cannot write '{}': it is no ordinary file", path_.string()));
  }
  temporary_ = temporary_name(path_);
  file_ = open_replacement(temporary_, path_);
  if (file_ < 0) throw_file_error("cannot write", temporary_, errno);
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::append(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBuffer) flush();
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t n = ::write(file_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw_file_error("cannot write", temporary_, errno);
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  if (::fsync(file_) != 0) throw_file_error("cannot flush", temporary_, errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw_file_error("cannot rename onto", path_, errno);
  ::close(file_);
  file_ = -1;
  sync_parent(path_);
}

WorkLock::WorkLock(const fs::path& path) : file_(path) {
  file_ += ".lock";
  for (;;) {
    descriptor_ = lock_file(file_, fmt::format("on '{}'", path.string()));
    // Whoever held the lock before has removed its file: then this is no lock that others see.
    struct stat mine {
    }, there{};
    if (::fstat(descriptor_, &mine) == 0 && ::stat(file_.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
        mine.st_dev == there.st_dev) {
      fs::path partial = path;
      partial += ".partial";
      for (const fs::path& file : {path, partial}) remove_temporary_files_of(file);
      return;
    }
    ::close(descriptor_);
  }
}

WorkLock::~WorkLock() {
  ::unlink(file_.c_str());
  ::close(descriptor_);
}

}  // namespace quarto
