#include "base/scratch_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>  // mkdtemp
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <string>

#include "base/file.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUnique = 6;  // letters at the end of its name, which mkdtemp chooses
// A directory is made before it is locked, so young ones are left alone.
constexpr std::time_t kYoung = 60;  // seconds

int open_directory(const fs::path& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Whether this process holds the lock now. It goes with the descriptor.
bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

bool is_own_and_old(int descriptor) {
  struct stat found {};
  return ::fstat(descriptor, &found) == 0 && found.st_uid == ::geteuid() &&
         found.st_mtime + kYoung < std::time(nullptr);
}

// What processes that were killed have left: nobody holds their locks any more.
void remove_abandoned(const fs::path& parent, const std::string& prefix) {
  std::error_code ignored, failed;
  for (fs::directory_iterator at(parent, failed); !failed && at != fs::directory_iterator(); at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kUnique) continue;
    const int descriptor = open_directory(at->path());
    if (descriptor < 0) continue;
    // A young one is not even locked for a moment: its owner may be about to.
    if (is_own_and_old(descriptor) && lock(descriptor)) fs::remove_all(at->path(), ignored);
    ::close(descriptor);
  }
}

}  // namespace

ScratchDirectory::ScratchDirectory(std::string_view purpose) {
  const fs::path parent = fs::temp_directory_path();
  const std::string prefix = fmt::format("quartozero-{}-", purpose);
  remove_abandoned(parent, prefix);
  std::string name = (parent / (prefix + std::string(kUnique, 'X'))).string();
  if (::mkdtemp(name.data()) == nullptr) throw_file_error("cannot create a temporary directory", name, errno);
  path_ = name;
  lock_ = open_directory(path_);
  if (lock_ < 0) throw_file_error("cannot open the directory", name, errno);
  lock(lock_);  // where the file system has no locks, nobody takes it for abandoned either
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace quarto
