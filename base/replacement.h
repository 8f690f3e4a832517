// What takes the place of a file or directory keeps its mode, access list, owner and group, and the symbolic links to
// it. Where the system does not let this process give it the owner or group, it goes on, and nobody may read or write
// what they could not before. Hard links are not kept: a file is replaced whole (file.h).
#pragma once

#include <filesystem>

namespace quarto {

// Whether a device or a pipe is there, which is written to and not replaced. Ask before followed(): /dev/stdout leads to a
// name such as "/proc/self/fd/pipe:[112281]", where nothing is.
bool is_device(const std::filesystem::path& path);

// Where the symbolic links of the last name lead, whether or not something is there. Throws FileError for a ring.
std::filesystem::path followed(const std::filesystem::path& path);

// Opens `temporary`, which must not be there, for writing: with the access to `path`, or that of a new file (umask) if
// nothing is there. Returns -1 and leaves errno on failure.
int open_replacement(const std::filesystem::path& temporary, const std::filesystem::path& path);

// The same for a directory that is filled under another name. Until it is complete, whoever may not read all files of
// `path` cannot enter it.
void make_replacement_directory(const std::filesystem::path& temporary, const std::filesystem::path& path);
// Gives it and its files the access to those of `path` with the same names. Nothing is done if `path` is not there.
void complete_replacement_directory(const std::filesystem::path& temporary, const std::filesystem::path& path);

// The mode for a file whose group could not be kept: the members of either group are others to the one of them.
constexpr unsigned mode_without_group(unsigned mode) {
  const unsigned both = (mode >> 3) & mode & 07U;
  return (mode & ~077U) | (both << 3) | both;
}

}  // namespace quarto
