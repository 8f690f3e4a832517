#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "base/replacement.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags)
      : Descriptor(path, Opened{::open(path.c_str(), flags | O_CLOEXEC, 0666)}) {}
  static Descriptor replacing(const fs::path& path, const fs::path& temporary) {
    return {temporary, Opened{open_replacement(temporary, path)}};
  }
  ~Descriptor() { close_quietly(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  void write_all(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_file_error("cannot write", path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void sync() {
    // Directories on some file systems cannot be synced; that is no reason to fail.
    if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) throw_file_error("cannot flush", path_, errno);
  }
  void close() {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) throw_file_error("cannot close", path_, errno);
  }

 private:
  struct Opened {
    int fd;
  };
  Descriptor(const fs::path& path, Opened file) : path_(path), fd_(file.fd) {
    if (fd_ < 0) throw_file_error("cannot open", path, errno);
  }
  void close_quietly() {
    if (fd_ >= 0) ::close(fd_);
  }
  fs::path path_;
  int fd_;
};

// Flushes a directory's files and itself.
void sync_files(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.is_regular_file()) Descriptor(entry.path(), O_RDONLY).sync();
  }
  Descriptor(directory, O_RDONLY | O_DIRECTORY).sync();
}

}  // namespace

namespace {

constexpr std::uint64_t kTemporaryNumbers = 1'000'000;  // six digits

// The numbers that this process has given out are `first` to `next`, modulo kTemporaryNumbers. They begin by the clock:
// processes in two containers may have the same identifier, and so may one in a container and the one before it.
struct TemporaryNumbers {
  const std::uint64_t first =
      static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) % kTemporaryNumbers;
  std::atomic<std::uint64_t> next = first;
};
TemporaryNumbers& temporary_numbers() {
  static TemporaryNumbers numbers;
  return numbers;
}

// Whether the process that has given out this number may still be writing.
bool writer_lives(std::uint64_t number) {
  const auto writer = static_cast<pid_t>(number / kTemporaryNumbers);
  if (writer <= 0) return false;
  if (writer != ::getpid()) return ::kill(writer, 0) == 0 || errno == EPERM;
  const TemporaryNumbers& mine = temporary_numbers();
  const std::uint64_t after_first = (number + kTemporaryNumbers - mine.first) % kTemporaryNumbers;
  return after_first < mine.next - mine.first;
}

}  // namespace

fs::path temporary_name(const fs::path& path) {
  for (;;) {
    fs::path temporary = path;
    temporary += fmt::format(".tmp{}{:06}", ::getpid(), temporary_numbers().next++ % kTemporaryNumbers);
    std::error_code unknown;
    if (!fs::exists(temporary, unknown)) return temporary;
  }
}

void write_file_atomic(const fs::path& name, std::string_view bytes, Flush flush) {
  if (is_device(name)) {
    Descriptor device(name, O_WRONLY);
    device.write_all(bytes);
    device.close();
    return;
  }
  const fs::path path = followed(name);
  const fs::path temporary = temporary_name(path);
  try {
    Descriptor file = Descriptor::replacing(path, temporary);
    file.write_all(bytes);
    if (flush == Flush::yes) file.sync();
    file.close();
    if (::rename(temporary.c_str(), path.c_str()) != 0) throw_file_error("cannot rename onto", path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (flush == Flush::yes) sync_parent(path);
}

void append_file(const fs::path& path, std::string_view bytes, Flush flush) {
  std::error_code unknown;
  const bool is_new = !fs::exists(path, unknown);
  Descriptor file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (is_new && flush == Flush::yes) sync_parent(path);
  struct stat before {};
  if (::fstat(file.get(), &before) != 0) throw_file_error("cannot inspect", path, errno);
  try {
    file.write_all(bytes);
    if (flush == Flush::yes) file.sync();
  } catch (...) {
    if (::ftruncate(file.get(), before.st_size) != 0) {
      // Nothing more can be done; the reader checks every record.
    }
    throw;
  }
  file.close();
}

void sync_parent(const fs::path& path) { Descriptor(directory_of(path), O_RDONLY | O_DIRECTORY).sync(); }

void require_writable(const fs::path& path) {
  if (is_device(path)) {
    if (::access(path.c_str(), W_OK) != 0) throw_file_error("cannot write", path, errno);
    return;
  }
  const fs::path parent = directory_of(followed(path));
  std::error_code error;
  if (fs::is_directory(path, error)) throw_file_error("cannot write", path, EISDIR);
  // Such as a name that is too long. A folder that is missing is what the next line reports.
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw_file_error("cannot write", path, error.value());
  if (::access(parent.c_str(), W_OK | X_OK) != 0) throw_file_error("cannot write in the directory", parent, errno);
}

void require_own_directory(const fs::path& directory, std::initializer_list<std::string_view> own,
                           std::string_view what) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    // "checkpoint.old" and the like are what a crash left of one of them.
    const bool ours = std::any_of(own.begin(), own.end(), [&](std::string_view o) {
      return name == o || (name.starts_with(o) && name[o.size()] == '.');
    });
    std::error_code unknown;
    // The last is in the root of a file system, such as a volume that was made for the run.
    if (ours || name.starts_with('.') || name == "lost+found" || !entry->is_directory(unknown)) continue;
    throw FileError(
        fmt::format("'{}' holds the folder '{}', which is no part of {}: name a directory of its own, such as '{}'",
                    directory.string(), name, what, (directory / "new").string()));
  }
}

void make_directories(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> fresh;
  for (fs::path p = fs::weakly_canonical(fs::absolute(path, error), error); !p.empty() && !fs::exists(p, error);
       p = p.parent_path()) {
    if (p.has_filename()) fresh.push_back(p);
  }
  fs::create_directories(path, error);
  if (error) throw_file_error("cannot create the directory", path, error.value());
  // What is flushed in a directory is lost with it if the power fails before its own name is on the disk.
  for (const fs::path& p : fresh) sync_parent(p);
}

void replace_directory(const fs::path& from, const fs::path& to) {
  if (!fs::exists(to)) {
    if (::rename(from.c_str(), to.c_str()) != 0) throw_file_error("cannot rename onto", to, errno);
  } else {
    // Exchanged in one step, so that `to` names a complete directory at every instant.
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0) {
      sync_parent(to);  // before the old content goes
      fs::remove_all(from);
      return;
    }
    if (errno != EINVAL && errno != ENOSYS && errno != EXDEV) throw_file_error("cannot exchange with", to, errno);
    fs::path old = to, copy = to;
    old += ".old";
    copy += ".old.tmp";
    fs::remove_all(old);
    if (::rename(to.c_str(), old.c_str()) != 0) {
      if (errno != EXDEV) throw_file_error("cannot move aside", to, errno);
      // A directory of an overlay's lower layer cannot be renamed: it is copied and removed.
      fs::remove_all(copy);
      fs::copy(to, copy, fs::copy_options::recursive);
      sync_files(copy);
      if (::rename(copy.c_str(), old.c_str()) != 0) throw_file_error("cannot move aside", to, errno);
      sync_parent(to);
      fs::remove_all(to);
    }
    if (::rename(from.c_str(), to.c_str()) != 0) throw_file_error("cannot rename onto", to, errno);
    sync_parent(to);
    fs::remove_all(old);
    return;
  }
  sync_parent(to);
}

namespace {

// Of the file with this name, or for "" of all.
void remove_temporary_files(const fs::path& directory, const std::string& of) {
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(directory, unknown)) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.rfind(".tmp");
    const bool ours = (of.empty() || name.substr(0, at) == of) && at != std::string::npos && at > 0 &&
                      at + 4 < name.size() && name.find_first_not_of("0123456789", at + 4) == std::string::npos;
    if (!ours || !entry.is_regular_file(unknown)) continue;
    if (!writer_lives(std::strtoull(name.c_str() + at + 4, nullptr, 10))) fs::remove(entry.path(), unknown);
  }
}

}  // namespace

void remove_temporary_files(const fs::path& directory) { remove_temporary_files(directory, ""); }
void remove_temporary_files_of(const fs::path& file) {
  remove_temporary_files(directory_of(file), file.filename().string());
}

}  // namespace quarto
