#include "train/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"

namespace quarto {
namespace fs = std::filesystem;

fs::path prepare_run_directory(const fs::path& out, bool resume) {
  if (!resume && (fs::exists(out / "checkpoint") || fs::exists(out / "metrics.jsonl"))) {
    throw RunError(fmt::format(
        "'{}' already holds a run; continue it with --resume, or name another directory with --out", out.string()));
  }
  // On a system that cannot exchange directories in one step, a crash may leave the old directory under this name.
  for (const char* name : {"checkpoint", "best"}) {
    const fs::path here = out / name, old = out / (std::string(name) + ".old");
    if (resume && !fs::exists(here) && fs::exists(old)) fs::rename(old, here);
  }
  if (resume && !fs::exists(out / "checkpoint") && (fs::exists(out / "metrics.jsonl") || fs::exists(out / "replay"))) {
    throw RunError(
        fmt::format("'{}' holds a run but no checkpoint, so it cannot be resumed; put its checkpoint "
                    "directory back, or start a new run with another --out",
                    out.string()));
  }
  make_directories(out);
  return out;
}

RunLock::RunLock(const fs::path& directory) {
  const fs::path path = directory / "lock";
  fd_ = ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (fd_ < 0) throw RunError(fmt::format("cannot create '{}': {}", path.string(), std::strerror(errno)));
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd_);
    throw RunError(fmt::format("another process is at work in '{}'", directory.string()));
  }
}

RunLock::~RunLock() { ::close(fd_); }

}  // namespace quarto
