// One process at a time works in a folder.
#pragma once

#include <filesystem>
#include <string_view>

namespace quarto {

// The descriptor of the file, made if there is none, which holds its lock. Throws FileError: "another process is at
// work WHERE" if another one holds it.
int lock_file(const std::filesystem::path& file, std::string_view where);

// Throws FileError if another one holds it, or the file system has no locks. The system releases the lock when the
// process ends, also after a crash. Its file, "lock", stays.
class DirectoryLock {
 public:
  explicit DirectoryLock(const std::filesystem::path& directory);
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace quarto
