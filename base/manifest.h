// Directories whose files are checked together: a file "checksums.txt" lists every file with its length and checksum,
// and has a checksum itself. So a file that was changed, cut short, or taken from another directory is noticed when it
// is read. The list is text:
//
//     quarto checksums 1
//     1f3c09aa 231860 model.safetensors     CRC-32C, bytes, name; one line for each file, by name
//     all 0b5ad911                          CRC-32C of the lines above
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>

namespace quarto {

inline constexpr const char* kManifestFile = "checksums.txt";

// A file is not what its directory's list says. The message names the file.
class ManifestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The list of these files of a directory. Throws FileError.
std::string manifest_text(const std::filesystem::path& directory, std::span<const std::string> names);

// Lists the files of a directory, those of its subdirectories excepted. Throws FileError.
void write_manifest(const std::filesystem::path& directory);
// Lists these files of a directory, which may have others that people edit. Throws FileError.
void write_manifest(const std::filesystem::path& directory, std::span<const std::string> names);

// read_file(), and compares with the list of the file's directory. Without a list it says on standard error, once for each directory, that damage would not be noticed. Throws FileError,
// ManifestError.
std::string read_checked_file(const std::filesystem::path& path);

// For files that may stand in any directory; a checksums.txt that does not begin as ours is none of ours.
// Whether the list of the file's directory names it; false without a list. Throws FileError, ManifestError.
bool is_listed(const std::filesystem::path& path);
// Compares the file with the list of its directory, if that names it. Throws FileError, ManifestError.
void require_as_listed(const std::filesystem::path& path);

// Whether every listed file is there and is what the list says; false also without a list.
bool matches_manifest(const std::filesystem::path& directory);

// Calls `fill` on a fresh directory beside `target` (target.tmp), lists its files, and then puts it in target's place
// (replace_directory() in file.h). Throws FileError, std::filesystem::filesystem_error and what `fill` throws.
void write_directory(const std::filesystem::path& target,
                     const std::function<void(const std::filesystem::path&)>& fill);

// Undoes what a crash in the middle of write_directory(to) left: `to`.old becomes `to` if there is no `to`, or if the
// files of `to` are not what its list says while those of `to`.old are. Then `to` is kept as `to`.damaged, and a line
// on standard error says so.
void restore_directory(const std::filesystem::path& to);

}  // namespace quarto
