// Files that are whole or absent. All functions throw FileError, whose message names the path and what the system said
// ("No space left on device"), and leave nothing half-written under the final name. replace_directory() may throw
// std::filesystem::filesystem_error, too.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace quarto {

class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "cannot open 'PATH': No such file or directory"; `error` is the system's number.
[[noreturn]] void throw_file_error(const char* doing, const std::filesystem::path& path, int error);

// For a missing file the message suggests the one in its folder with the closest name.
std::string read_file(const std::filesystem::path& path);

// Throws where it does not end after 64 MiB.
std::string read_standard_input();

// Whether what is written is on the disk before the call returns. `no` is for directories that are removed in the end.
enum class Flush { yes, no };

// "PATH.tmpN", for a file that is to be renamed to `path`: another one at each call, and one that is not there. Two
// processes of two containers get the same one once in a million times; open it with O_EXCL.
std::filesystem::path temporary_name(const std::filesystem::path& path);

// Writes beside `path`, flushes it to the disk if `flush` says so, and puts it in the place of `path` (replacement.h).
// A pipe or a device, such as /dev/stdout, is written to.
void write_file_atomic(const std::filesystem::path& path, std::string_view bytes, Flush flush = Flush::yes);

// Appends, and flushes if `flush` says so. On failure the file keeps its old length.
void append_file(const std::filesystem::path& path, std::string_view bytes, Flush flush = Flush::yes);

// Throws now if a file could not be written there, before hours are spent on its content.
void require_writable(const std::filesystem::path& path);

// For what has a directory of its own (`what`, such as "a run"): throws if the directory holds folders with other names
// than `own`, with which it would be mixed. An absent directory holds none.
void require_own_directory(const std::filesystem::path& directory, std::initializer_list<std::string_view> own,
                           std::string_view what);

// Flushes standard output, of C and C++. Throws if any of what a program has said so far could not be written.
void require_output_written();

// The directory that a file is in; "." for a name alone.
std::filesystem::path directory_of(const std::filesystem::path& file);

// Flushes the directory that `path` is in: its name, new or gone, is on the disk afterwards.
void sync_parent(const std::filesystem::path& path);

// With those above it; they are on the disk afterwards.
void make_directories(const std::filesystem::path& path);

// Removes the files with temporary names whose writer does not run on this machine (the name has its process's number).
// Call it only for a directory that this process has locked: a writer in another container or machine cannot be seen to
// run.
void remove_temporary_files(const std::filesystem::path& directory);
// The same for those of one file, which this process has locked.
void remove_temporary_files_of(const std::filesystem::path& file);

// Replaces directory `to` by directory `from` (a finished temporary one on the same file system): afterwards `to` is
// the new content, or still the old one if a crash came between. The old content never disappears before the new one
// is complete.
void replace_directory(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace quarto
