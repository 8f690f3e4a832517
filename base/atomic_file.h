// Files that are written in pieces and yet are whole or absent; and files that one process at a time works on.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace quarto {

// For content too large for write_file_atomic (file.h): pieces go to a temporary name beside `path`, commit() flushes
// them to the disk and renames as that does. Without commit() nothing remains. All throw FileError.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void append(std::string_view bytes);
  void commit();

 private:
  void flush();

  std::filesystem::path path_, temporary_;
  std::string buffer_;
  int file_ = -1;
};

// Work whose result is `path`: at most one process holds it. The lock is on a file beside it, PATH.lock, so that it can
// be taken before there is anything else; the file goes with the lock, and a killed process leaves one behind that
// locks nothing. Removes temporary files of `path` that a killed process has left (PATH.tmpN, PATH.partial.tmpN).
// Throws FileError, which says so when another process holds it.
class WorkLock {
 public:
  explicit WorkLock(const std::filesystem::path& path);
  ~WorkLock();
  WorkLock(const WorkLock&) = delete;
  WorkLock& operator=(const WorkLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace quarto
