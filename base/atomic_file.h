// Files that are written in pieces and yet are whole or absent; and files that one process at a time works on.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace quarto {

// For content too large for write_file_atomic (file.h): pieces go to a temporary name beside `path`, commit() flushes
// them to the disk and renames. Without commit() nothing remains. All throw FileError.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
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

// Held by at most one process for each path; the lock goes with the process, however it ends. The file must exist.
// Throws FileError, which says so when another process holds it.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

}  // namespace quarto
