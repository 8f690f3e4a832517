// What of manifest.h writes.
#include <vector>

#include "base/file.h"
#include "base/manifest.h"
#include "base/replacement.h"
#include "base/tell.h"

namespace quarto {
namespace fs = std::filesystem;

void write_manifest(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_regular_file() && name != kManifestFile) names.push_back(name);
  }
  write_manifest(directory, names);
}

void write_manifest(const fs::path& directory, std::span<const std::string> names) {
  write_file_atomic(directory / kManifestFile, manifest_text(directory, names));
}

void write_directory(const fs::path& name, const std::function<void(const fs::path&)>& fill) {
  const fs::path target = followed(name);
  fs::path temporary = target;
  temporary += ".tmp";
  fs::remove_all(temporary);
  make_replacement_directory(temporary, target);
  fill(temporary);
  write_manifest(temporary);
  complete_replacement_directory(temporary, target);
  replace_directory(temporary, target);
}

void restore_directory(const fs::path& name) {
  const fs::path to = followed(name);
  fs::path old = to;
  old += ".old";
  if (!fs::exists(old)) return;
  if (fs::exists(to)) {
    if (matches_manifest(to) || !matches_manifest(old)) return;
    fs::path aside = to;
    aside += ".damaged";
    tell("note: '{}' is damaged; it is kept as '{}', and '{}' takes its place\n", to.string(), aside.string(),
         old.string());
    fs::remove_all(aside);
    fs::rename(to, aside);
  }
  replace_directory(old, to);
}

}  // namespace quarto
