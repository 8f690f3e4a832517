#include "base/replacement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>

#include "base/file.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

constexpr unsigned kWhole = 07777;
constexpr int kMostLinks = 40;  // as Linux follows them
constexpr const char* kAccessList = "system.posix_acl_access";

std::optional<struct stat> status_of(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? std::optional(found) : std::nullopt;
}

// Whether `fd` has the access list of `old` now, or none if that has none: a folder may have given it one.
bool keep_access_list(int fd, const fs::path& old) {
  std::string list;
  const ssize_t size = ::getxattr(old.c_str(), kAccessList, nullptr, 0);
  if (size > 0) {
    list.resize(static_cast<std::size_t>(size));
    return ::getxattr(old.c_str(), kAccessList, list.data(), list.size()) == size &&
           ::fsetxattr(fd, kAccessList, list.data(), list.size(), 0) == 0;
  }
  if (size < 0 && errno != ENODATA && errno != ENOTSUP) return false;
  return ::fremovexattr(fd, kAccessList) == 0 || errno == ENODATA || errno == ENOTSUP;
}

// What cannot be given is left away. Of the mode only the bits in `within`.
void keep_access(int fd, const fs::path& path, const struct stat& old, unsigned within) {
  const bool owner = ::fchown(fd, old.st_uid, old.st_gid) == 0;
  const bool group = owner || ::fchown(fd, static_cast<uid_t>(-1), old.st_gid) == 0;
  unsigned mode = old.st_mode & (S_ISDIR(old.st_mode) ? 07777U : 0777U);
  if (!group) mode = mode_without_group(mode);
  if (!keep_access_list(fd, path)) mode &= ~070U;  // the bits of the group are those of the list, too
  // Where modes cannot be set, such as on a USB stick, all files have the same.
  [[maybe_unused]] const int ignored = ::fchmod(fd, mode & within);
}

// The same for what is there. Not for links and what is neither file nor directory.
void keep_access(const fs::path& replacement, const fs::path& path, unsigned within = kWhole) {
  const auto old = status_of(path);
  if (!old) return;
  const int fd = ::open(replacement.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  if (S_ISREG(old->st_mode) || S_ISDIR(old->st_mode)) keep_access(fd, path, *old, within);
  ::close(fd);
}

}  // namespace

bool is_device(const fs::path& path) {
  const auto found = status_of(path);
  return found && !S_ISREG(found->st_mode) && !S_ISDIR(found->st_mode);
}

fs::path followed(const fs::path& path) {
  fs::path at = path;
  std::error_code none;
  for (int links = 0; fs::is_symlink(at, none); ++links) {
    if (links == kMostLinks) throw_file_error("cannot open", path, ELOOP);
    const fs::path target = fs::read_symlink(at, none);
    if (none) break;
    at = at.parent_path() / target;  // which is `target` alone if that is absolute
  }
  return at;
}

int open_replacement(const fs::path& temporary, const fs::path& path) {
  const auto old = status_of(path);
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : 0666);
  if (fd >= 0 && old) keep_access(fd, path, *old, kWhole);
  return fd;
}

void make_replacement_directory(const fs::path& temporary, const fs::path& path) {
  make_directories(temporary);
  unsigned within = kWhole;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(path, none)) {
    const auto file = status_of(entry.path());
    if (file && (file->st_mode & 040U) == 0) within &= ~070U;
    if (file && (file->st_mode & 004U) == 0) within &= ~007U;
  }
  keep_access(temporary, path, within);
}

void complete_replacement_directory(const fs::path& temporary, const fs::path& path) {
  for (const auto& entry : fs::directory_iterator(temporary)) keep_access(entry.path(), path / entry.path().filename());
  keep_access(temporary, path);
}

}  // namespace quarto
