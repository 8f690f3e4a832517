#include "base/manifest.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/file.h"
#include "base/tell.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTitle = "quarto checksums 1\n", kLast = "all ";

// What a line says of a file, before its name.
std::string described(std::string_view bytes) { return fmt::format("{:08x} {}", crc32c(bytes), bytes.size()); }

// A pipe would be waited for.
std::string read_ordinary_file(const fs::path& path) {
  std::error_code unknown;
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown) && !fs::is_directory(path, unknown))
    throw FileError(fmt::format("cannot read '{}': it is no ordinary file", path.string()));
  return read_file(path);
}

// The descriptions by name; nothing without a list.
std::optional<std::map<std::string, std::string>> files_of(const fs::path& directory) {
  const fs::path path = directory / kManifestFile;
  std::error_code unknown;
  if (!fs::exists(path, unknown)) return std::nullopt;
  const std::string text = read_ordinary_file(path);
  const auto fail = [&path](const char* why) { return ManifestError(fmt::format("'{}': {}", path.string(), why)); };
  const std::size_t last = text.rfind("\n" + std::string(kLast));
  if (!text.starts_with(kTitle)) throw fail("not a list of checksums of version 1");
  if (last == std::string::npos) throw fail("cut short: the checksum at its end is missing");
  const std::string_view lines = std::string_view(text).substr(0, last + 1);
  if (text.substr(last + 1) != fmt::format("{}{:08x}\n", kLast, crc32c(lines)))
    throw fail("its own checksum is wrong: it is damaged or was edited");
  std::map<std::string, std::string> files;
  for (std::size_t at = kTitle.size(); at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    const std::string_view line = lines.substr(at, end - at);
    const std::size_t bytes = line.find(' '), name = bytes == line.npos ? bytes : line.find(' ', bytes + 1);
    if (name == line.npos) throw fail("a line has not the form CHECKSUM BYTES NAME");
    const std::string file(line.substr(name + 1));
    if (file.empty() || file == "." || file == ".." || file.find_first_of(std::string_view("/\0", 2)) != file.npos)
      throw fail("a name in it is not that of a file in its directory");
    files[file] = line.substr(0, name);
    at = end + 1;
  }
  return files;
}

// However many threads read, a directory is named once.
void say_unchecked(const fs::path& directory) {
  static std::mutex mutex;
  static std::set<fs::path> said;
  const std::scoped_lock lock(mutex);
  std::error_code unknown;
  if (!said.insert(fs::weakly_canonical(directory, unknown)).second) return;
  tell("note: '{}' has no {}: damage to its files is not noticed\n", directory.string(), kManifestFile);
}

}  // namespace

std::string manifest_text(const fs::path& directory, std::span<const std::string> names) {
  std::map<std::string, std::string> files;
  for (const std::string& name : names) files[name] = described(read_file(directory / name));
  std::string text(kTitle);
  for (const auto& [name, what] : files) text += fmt::format("{} {}\n", what, name);
  return text + fmt::format("{}{:08x}\n", kLast, crc32c(text));
}

namespace {

void require_same(const fs::path& path, const std::string& listed, std::string_view bytes) {
  if (listed == described(bytes)) return;
  throw ManifestError(fmt::format(
      "'{}' is not what was written ({} says so): it is damaged, or comes from another checkpoint; copy it again, or "
      "use another",
      path.string(), kManifestFile));
}

std::string read_once(const fs::path& path) {
  const fs::path directory = directory_of(path);
  std::string bytes = read_ordinary_file(path);
  const auto files = files_of(directory);
  if (!files) {
    say_unchecked(directory);
    return bytes;
  }
  const auto known = files->find(path.filename().string());
  if (known == files->end()) {
    throw ManifestError(
        fmt::format("'{}' is not among the files that {} lists: it came from elsewhere", path.string(), kManifestFile));
  }
  require_same(path, known->second, bytes);
  return bytes;
}

}  // namespace

std::string read_checked_file(const fs::path& path) {
  try {
    return read_once(path);
  } catch (const ManifestError&) {
    // A trainer may have exchanged the directory between the file and its list: then the second time is right.
    return read_once(path);
  }
}

namespace {

// Other programs write files of this name, too: those say nothing here.
std::optional<std::map<std::string, std::string>> own_files_of(const fs::path& directory) {
  const fs::path path = directory / kManifestFile;
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown) || !read_file(path).starts_with(kTitle)) return std::nullopt;
  return files_of(directory);
}

}  // namespace

bool is_listed(const fs::path& path) {
  const auto files = own_files_of(directory_of(path));
  return files && files->contains(path.filename().string());
}

void require_as_listed(const fs::path& path) {
  const auto files = own_files_of(directory_of(path));
  if (!files) return;
  if (const auto known = files->find(path.filename().string()); known != files->end())
    require_same(path, known->second, read_ordinary_file(path));
}

bool matches_manifest(const fs::path& directory) {
  try {
    const auto files = files_of(directory);
    if (!files) return false;
    for (const auto& [name, wanted] : *files) {
      if (described(read_ordinary_file(directory / name)) != wanted) return false;
    }
    return true;
  } catch (const ManifestError&) {
    return false;
  } catch (const FileError&) {
    return false;
  }
}

}  // namespace quarto
