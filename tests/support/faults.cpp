// A library to preload (LD_PRELOAD) into a program under test: at its Nth change to a file something goes wrong. A
// change is a file made, written, cut, flushed, linked, renamed or removed, or a directory made or removed; what C's
// stdio writes later from its buffer (the lines of train.log) is not counted. Set in the environment:
//
//   FAULT_COUNT=FILE  nothing goes wrong; at its end the program writes the number of changes there
//   FAULT_AT=N        the change at which it does
//   FAULT=kill        the program dies just before the change, as from `kill -9`
//         torn        the same, but if the change is a write, the first half of its bytes is written before
//         full        the disk is full: this change and all later ones that need space fail with ENOSPC
//         io          this change alone fails with EIO
//         power       the power fails just before the change: what was not flushed is lost. A file's content is as it
//                     was at its last fsync or fdatasync, and a directory has the names it had at its own last fsync
//         power-data  the same, but the names are kept: files whose content was not flushed are empty or as before
//   FAULT_KEEP=DIR    for power: an empty directory on the same file system, for what is removed and may come back
//
// POSIX promises no more than `power` keeps. File systems in use keep more, each in its own way; `power-data` is the
// other extreme, names that reach the disk before the content. (Pillai et al., "All File Systems Are Not Created
// Equal", 2014.)
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define REAL(function) static auto* const real_##function = real<decltype(function)>(#function)

enum class Fault { none, kill, torn, full, io, power, power_data };

struct Plan {
  Fault fault = Fault::none;
  long at = 0;
  std::string keep;

  Plan() {
    const char* number = getenv("FAULT_AT");
    if (!number) return;
    at = atol(number);
    const std::string name = getenv("FAULT") ? getenv("FAULT") : "kill";
    const std::pair<const char*, Fault> names[] = {{"kill", Fault::kill},   {"torn", Fault::torn},
                                                   {"full", Fault::full},   {"io", Fault::io},
                                                   {"power", Fault::power}, {"power-data", Fault::power_data}};
    for (const auto& [text, value] : names) {
      if (name == text) fault = value;
    }
    if (fault == Fault::none) {
      fprintf(stderr, "faults: FAULT=%s is none\n", name.c_str());
      abort();
    }
    if (fault == Fault::power || fault == Fault::power_data) {
      if (!getenv("FAULT_KEEP")) {
        fprintf(stderr, "faults: FAULT_KEEP is not set\n");
        abort();
      }
      keep = getenv("FAULT_KEEP");
    }
  }
  bool forgets() const { return fault == Fault::power || fault == Fault::power_data; }
};

// Never destroyed: other threads may still change files while the program ends.
const Plan& plan() {
  static const Plan* const p = new Plan;
  return *p;
}

std::recursive_mutex& mutex() {
  static auto* const m = new std::recursive_mutex;
  return *m;
}
using Lock = std::lock_guard<std::recursive_mutex>;

long changes = 0;

using Inode = std::pair<dev_t, ino_t>;

// Of a file, or of what a name stands for; nothing if there is none.
std::optional<struct stat> status_of(int fd) {
  struct stat s {};
  return fstat(fd, &s) == 0 ? std::optional(s) : std::nullopt;
}
std::optional<struct stat> status_of(int base, const char* path) {
  struct stat s {};
  return fstatat(base, path, &s, AT_SYMLINK_NOFOLLOW) == 0 ? std::optional(s) : std::nullopt;
}
Inode inode_of(const struct stat& s) { return {s.st_dev, s.st_ino}; }
bool exists(int base, const char* path) { return status_of(base, path).has_value(); }
bool is_directory(int base, const char* path) {
  const auto s = status_of(base, path);
  return s && S_ISDIR(s->st_mode);
}
bool is_file(int fd) {
  const auto s = status_of(fd);
  return fd > 2 && s && S_ISREG(s->st_mode);
}

// What a crash would leave of a file that was changed since its last flush.
struct Flushed {
  int fd = -1;  // our own, for writing
  std::string content;
};

// A change of names that a crash would undo: the names are relative to directories that are held open, because those
// may be renamed themselves.
struct Renaming {
  enum Kind { made, made_directory, renamed, exchanged, removed, removed_directory } kind;
  int directory = -1, other_directory = -1;  // the second: of the new name
  Inode where, other_where;
  bool flushed = false, other_flushed = false;
  std::string name, other_name;
  std::string kept;  // the file that the new name had before, or that was removed, in FAULT_KEEP; empty: none
};

std::map<Inode, Flushed>& unflushed() {
  static auto* const files = new std::map<Inode, Flushed>;
  return *files;
}
std::vector<Renaming>& journal() {
  static auto* const entries = new std::vector<Renaming>;
  return *entries;
}

// Before the content of this file changes.
void remember(int fd) {
  if (!plan().forgets()) return;
  const auto s = status_of(fd);
  if (!s || !S_ISREG(s->st_mode) || unflushed().contains(inode_of(*s))) return;
  REAL(open);
  Flushed file;
  const std::string self = "/proc/self/fd/" + std::to_string(fd);
  file.fd = real_open(self.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (file.fd < 0) return;
  file.content.resize(static_cast<std::size_t>(s->st_size));
  for (std::size_t at = 0; at < file.content.size();) {
    const ssize_t n = pread(file.fd, file.content.data() + at, file.content.size() - at, static_cast<off_t>(at));
    if (n <= 0) abort();
    at += static_cast<std::size_t>(n);
  }
  unflushed()[inode_of(*s)] = std::move(file);
}

// The same by its name.
void remember(int base, const char* path) {
  if (!plan().forgets()) return;
  REAL(openat);
  const int fd = real_openat(base, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return;
  remember(fd);
  close(fd);
}

// The directory and the name in it; opens the directory.
int split(int base, const char* path, Inode& where, std::string& name) {
  std::string text = path;
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  const std::size_t slash = text.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : text.substr(0, slash);
  name = slash == std::string::npos ? text : text.substr(slash + 1);
  REAL(openat);
  const int fd = real_openat(base, parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (const auto s = status_of(fd)) where = inode_of(*s);
  return fd;
}

// A second name for a file that is about to lose its own.
std::string keep(int base, const char* path) {
  static int number = 0;
  if (!exists(base, path) || is_directory(base, path)) return "";
  const std::string kept = plan().keep + "/" + std::to_string(number++);
  REAL(linkat);
  return real_linkat(base, path, AT_FDCWD, kept.c_str(), 0) == 0 ? kept : "";
}

// Before a change of names; `done` says whether it took place.
struct NameChange {
  Renaming entry;
  bool noted = false;

  NameChange(Renaming::Kind kind, int base, const char* path, int other_base = AT_FDCWD, const char* other = nullptr) {
    if (!plan().forgets()) return;
    entry.kind = kind;
    entry.directory = split(base, path, entry.where, entry.name);
    if (other) entry.other_directory = split(other_base, other, entry.other_where, entry.other_name);
    entry.other_flushed = other == nullptr;
    if (kind == Renaming::renamed) entry.kept = keep(other_base, other);
    if (kind == Renaming::removed) entry.kept = keep(base, path);
    noted = true;
  }
  int done(int result) {
    if (!noted) return result;
    if (result >= 0) {
      journal().push_back(entry);
    } else {
      close(entry.directory);
      if (entry.other_directory >= 0) close(entry.other_directory);
    }
    return result;
  }
};

int flushed(int fd, int result) {
  const auto s = status_of(fd);
  if (result != 0 || !plan().forgets() || !s) return result;
  const Inode inode = inode_of(*s);
  if (const auto at = unflushed().find(inode); at != unflushed().end()) {
    close(at->second.fd);
    unflushed().erase(at);
  }
  REAL(unlink);
  std::erase_if(journal(), [&](Renaming& e) {
    if (e.where == inode) e.flushed = true;
    if (e.other_where == inode) e.other_flushed = true;
    if (!e.flushed || !e.other_flushed) return false;
    close(e.directory);
    if (e.other_directory >= 0) close(e.other_directory);
    if (!e.kept.empty()) real_unlink(e.kept.c_str());
    return true;
  });
  return result;
}

[[noreturn]] void die() {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

[[noreturn]] void lose_power() {
  REAL(ftruncate);
  REAL(pwrite);
  REAL(renameat);
  REAL(renameat2);
  REAL(unlinkat);
  REAL(mkdirat);
  for (auto& [inode, file] : unflushed()) {
    if (real_ftruncate(file.fd, 0) != 0) abort();
    if (real_pwrite(file.fd, file.content.data(), file.content.size(), 0) != static_cast<ssize_t>(file.content.size()))
      abort();
  }
  if (plan().fault == Fault::power) {
    std::reverse(journal().begin(), journal().end());
    for (const Renaming& e : journal()) {
      switch (e.kind) {
        case Renaming::made:
          real_unlinkat(e.directory, e.name.c_str(), 0);
          break;
        case Renaming::made_directory: {
          // What was made in it and flushed there is lost with it.
          const std::string command = "unset LD_PRELOAD; rm -rf '/proc/" + std::to_string(getpid()) + "/fd/" +
                                      std::to_string(e.directory) + "/" + e.name + "'";
          if (system(command.c_str()) != 0) abort();
          break;
        }
        case Renaming::renamed:
          real_renameat(e.other_directory, e.other_name.c_str(), e.directory, e.name.c_str());
          if (!e.kept.empty()) real_renameat(AT_FDCWD, e.kept.c_str(), e.other_directory, e.other_name.c_str());
          break;
        case Renaming::exchanged:
          real_renameat2(e.directory, e.name.c_str(), e.other_directory, e.other_name.c_str(), RENAME_EXCHANGE);
          break;
        case Renaming::removed:
          if (!e.kept.empty()) real_renameat(AT_FDCWD, e.kept.c_str(), e.directory, e.name.c_str());
          break;
        case Renaming::removed_directory:
          real_mkdirat(e.directory, e.name.c_str(), 0755);
          break;
      }
    }
  }
  die();
}

// Counts a change, and says whether it fails: then errno is set. `needs_space`: a full disk stops it.
bool fails(bool needs_space) {
  ++changes;
  const Plan& p = plan();
  if (p.fault == Fault::none || changes < p.at) return false;
  if (p.fault == Fault::full) {
    if (needs_space) errno = ENOSPC;
    return needs_space;
  }
  if (changes > p.at) return false;
  if (p.fault == Fault::io) {
    errno = EIO;
    return true;
  }
  if (p.forgets()) lose_power();
  die();
}

// The same for a write of `bytes` bytes, of which torn() writes half.
template <class Torn>
bool write_fails(int fd, const Torn& torn) {
  if (!is_file(fd)) return false;
  if (plan().fault == Fault::torn && changes + 1 == plan().at) {
    torn();
    die();
  }
  if (fails(true)) return true;
  remember(fd);
  return false;
}

struct AtExit {
  ~AtExit() {
    const char* name = getenv("FAULT_COUNT");
    if (!name) return;
    if (FILE* file = ::fopen((std::string(name)).c_str(), "we")) {
      fprintf(file, "%ld\n", changes - 1);  // without this file
      fclose(file);
    }
  }
} at_exit;

int opened(int base, const char* path, int flags, mode_t mode) {
  REAL(openat);
  const bool makes = (flags & O_CREAT) != 0 && !exists(base, path);
  if (!makes && (flags & O_TRUNC) == 0) return real_openat(base, path, flags, mode);
  const Lock lock(mutex());
  if (fails(makes)) return -1;
  if (makes) {
    NameChange change(Renaming::made, base, path);
    return change.done(real_openat(base, path, flags, mode));
  }
  remember(base, path);
  return real_openat(base, path, flags, mode);
}

}  // namespace

#define OPEN(base, path, flags)                                   \
  va_list rest;                                                   \
  va_start(rest, flags);                                          \
  const mode_t mode = (flags)&O_CREAT ? va_arg(rest, mode_t) : 0; \
  va_end(rest);                                                   \
  return opened(base, path, flags, mode)

// Begins a function of C that changes something.
#define CHANGE(function, needs_space) \
  REAL(function);                     \
  const Lock lock(mutex());           \
  if (fails(needs_space)) return -1

extern "C" {

int open(const char* path, int flags, ...) { OPEN(AT_FDCWD, path, flags); }
int open64(const char* path, int flags, ...) { OPEN(AT_FDCWD, path, flags); }
int openat(int base, const char* path, int flags, ...) { OPEN(base, path, flags); }
int openat64(int base, const char* path, int flags, ...) { OPEN(base, path, flags); }

// Only that the file is made or cut; std::ofstream writes through write() and writev().
static FILE* opened_stream(const char* path, const char* how) {
  REAL(fopen);
  const bool writes = strchr(how, 'w') != nullptr || strchr(how, 'a') != nullptr;
  const bool makes = writes && !exists(AT_FDCWD, path), cuts = !makes && strchr(how, 'w') != nullptr;
  if (!makes && !cuts) return real_fopen(path, how);
  const Lock lock(mutex());
  if (fails(makes)) return nullptr;
  if (makes) {
    NameChange change(Renaming::made, AT_FDCWD, path);
    FILE* file = real_fopen(path, how);
    change.done(file ? 0 : -1);
    return file;
  }
  remember(AT_FDCWD, path);
  return real_fopen(path, how);
}
FILE* fopen(const char* path, const char* how) { return opened_stream(path, how); }
FILE* fopen64(const char* path, const char* how) { return opened_stream(path, how); }

ssize_t write(int fd, const void* bytes, size_t n) {
  REAL(write);
  const Lock lock(mutex());
  if (write_fails(fd, [&] { (void)!real_write(fd, bytes, n / 2); })) return -1;
  return real_write(fd, bytes, n);
}
ssize_t pwrite(int fd, const void* bytes, size_t n, off_t at) {
  REAL(pwrite);
  const Lock lock(mutex());
  if (write_fails(fd, [&] { (void)!real_pwrite(fd, bytes, n / 2, at); })) return -1;
  return real_pwrite(fd, bytes, n, at);
}
ssize_t pwrite64(int fd, const void* bytes, size_t n, off_t at) { return pwrite(fd, bytes, n, at); }
ssize_t writev(int fd, const iovec* parts, int n) {
  REAL(writev);
  const Lock lock(mutex());
  REAL(write);
  const auto half = [&] {
    size_t left = 0;
    for (int i = 0; i < n; ++i) left += parts[i].iov_len;
    left /= 2;
    for (int i = 0; left > 0; ++i) {
      const size_t now = std::min(left, parts[i].iov_len);
      (void)!real_write(fd, parts[i].iov_base, now);
      left -= now;
    }
  };
  if (write_fails(fd, half)) return -1;
  return real_writev(fd, parts, n);
}
ssize_t sendfile(int to, int from, off_t* at, size_t n) noexcept {
  REAL(sendfile);
  const Lock lock(mutex());
  if (write_fails(to, [&] { real_sendfile(to, from, at, n / 2); })) return -1;
  return real_sendfile(to, from, at, n);
}
ssize_t copy_file_range(int from, off64_t* from_at, int to, off64_t* to_at, size_t n, unsigned flags) {
  REAL(copy_file_range);
  const Lock lock(mutex());
  if (write_fails(to, [&] { real_copy_file_range(from, from_at, to, to_at, n / 2, flags); })) return -1;
  return real_copy_file_range(from, from_at, to, to_at, n, flags);
}

int ftruncate(int fd, off_t length) noexcept {
  CHANGE(ftruncate, false);
  remember(fd);
  return real_ftruncate(fd, length);
}
int ftruncate64(int fd, off64_t length) noexcept { return ftruncate(fd, length); }
int truncate(const char* path, off_t length) noexcept {
  CHANGE(truncate, false);
  remember(AT_FDCWD, path);
  return real_truncate(path, length);
}
int truncate64(const char* path, off64_t length) noexcept { return truncate(path, length); }

int fsync(int fd) {
  CHANGE(fsync, false);
  return flushed(fd, real_fsync(fd));
}
int fdatasync(int fd) {
  CHANGE(fdatasync, false);
  return flushed(fd, real_fdatasync(fd));
}

int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
  CHANGE(renameat2, false);
  NameChange change(flags & RENAME_EXCHANGE ? Renaming::exchanged : Renaming::renamed, a, from, b, to);
  return change.done(real_renameat2(a, from, b, to, flags));
}
int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  if (!exists(AT_FDCWD, from)) return real_rename(from, to);
  const Lock lock(mutex());
  if (fails(false)) return -1;
  NameChange change(Renaming::renamed, AT_FDCWD, from, AT_FDCWD, to);
  return change.done(real_rename(from, to));
}
int renameat(int a, const char* from, int b, const char* to) noexcept {
  CHANGE(renameat, false);
  NameChange change(Renaming::renamed, a, from, b, to);
  return change.done(real_renameat(a, from, b, to));
}
int linkat(int a, const char* from, int b, const char* to, int flags) noexcept {
  CHANGE(linkat, true);
  NameChange change(Renaming::made, b, to);
  return change.done(real_linkat(a, from, b, to, flags));
}
int link(const char* from, const char* to) noexcept { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
int mkdirat(int base, const char* path, mode_t mode) noexcept {
  CHANGE(mkdirat, true);
  NameChange change(Renaming::made_directory, base, path);
  return change.done(real_mkdirat(base, path, mode));
}
int mkdir(const char* path, mode_t mode) noexcept { return mkdirat(AT_FDCWD, path, mode); }
int unlinkat(int base, const char* path, int flags) noexcept {
  REAL(unlinkat);
  if (!exists(base, path)) return real_unlinkat(base, path, flags);
  const Lock lock(mutex());
  if (fails(false)) return -1;
  NameChange change(flags & AT_REMOVEDIR ? Renaming::removed_directory : Renaming::removed, base, path);
  return change.done(real_unlinkat(base, path, flags));
}
int unlink(const char* path) noexcept { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) noexcept { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) noexcept {
  return unlinkat(AT_FDCWD, path, is_directory(AT_FDCWD, path) ? AT_REMOVEDIR : 0);
}
}
