// A library to preload (LD_PRELOAD) into a program under test: the program dies, as from `kill -9`, just before its Nth
// change to a file. KILL_AT=N names the change; with KILL_COUNT=FILE the program runs to its end and writes the number
// of changes there. A change is a file made, written, cut, flushed, renamed or removed, or a directory made or removed,
// but not what goes through C's stdio: the lines of train.log.
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<long> changes{0};

long asked() {
  static const long at = [] {
    const char* text = getenv("KILL_AT");
    return text ? atol(text) : 0L;
  }();
  return at;
}

void change() {
  if (++changes == asked()) kill(getpid(), SIGKILL);
}

bool is_file(int fd) {
  struct stat s {};
  return fd > 2 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct AtExit {
  ~AtExit() {
    const char* name = getenv("KILL_COUNT");
    const long n = changes;
    if (!name) return;
    if (FILE* file = fopen(name, "w")) {
      fprintf(file, "%ld\n", n);
      fclose(file);
    }
  }
} at_exit;

}  // namespace

#define FORWARD(function, arguments, counts)                     \
  static auto* const next = real<decltype(function)>(#function); \
  if (counts) change();                                          \
  return next arguments

extern "C" {
int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* const next = real<int(const char*, int, mode_t)>("open");
  if (flags & (O_CREAT | O_TRUNC)) change();
  return next(path, flags, mode);
}
int truncate(const char* path, off_t length) noexcept { FORWARD(truncate, (path, length), true); }
int fdatasync(int fd) { FORWARD(fdatasync, (fd), true); }
ssize_t pwrite(int fd, const void* bytes, size_t n, off_t at) { FORWARD(pwrite, (fd, bytes, n, at), is_file(fd)); }
ssize_t writev(int fd, const iovec* parts, int n) { FORWARD(writev, (fd, parts, n), is_file(fd)); }
ssize_t write(int fd, const void* bytes, size_t n) { FORWARD(write, (fd, bytes, n), is_file(fd)); }
int fsync(int fd) { FORWARD(fsync, (fd), true); }
int ftruncate(int fd, off_t length) noexcept { FORWARD(ftruncate, (fd, length), true); }
int rename(const char* from, const char* to) noexcept { FORWARD(rename, (from, to), true); }
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) noexcept {
  FORWARD(renameat2, (a, from, b, to, flags), true);
}
int mkdir(const char* path, mode_t mode) noexcept { FORWARD(mkdir, (path, mode), true); }
int rmdir(const char* path) noexcept { FORWARD(rmdir, (path), true); }
int unlink(const char* path) noexcept { FORWARD(unlink, (path), true); }
int unlinkat(int fd, const char* path, int flags) noexcept { FORWARD(unlinkat, (fd, path, flags), true); }
int remove(const char* path) noexcept { FORWARD(remove, (path), true); }
}
