#include "base/shipped.h"

#include <system_error>

#ifndef QUARTO_SOURCE_TREE
#define QUARTO_SOURCE_TREE ""
#endif

namespace quarto {
namespace fs = std::filesystem;

std::vector<fs::path> shipped_places(const fs::path& file) {
  std::vector<fs::path> places;
  if (*QUARTO_SOURCE_TREE != '\0') places.push_back(fs::path(QUARTO_SOURCE_TREE) / file);
  std::error_code none;
  const fs::path executable = fs::read_symlink("/proc/self/exe", none);
  if (none) return places;
  for (fs::path folder = executable.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    places.push_back(folder / file);
    places.push_back(folder / "share" / "quarto" / file);
    if (folder == folder.root_path()) break;
  }
  return places;
}

std::optional<fs::path> find_shipped(const fs::path& file) {
  std::error_code ignored;
  for (const fs::path& place : shipped_places(file)) {
    if (fs::exists(place, ignored)) return place;
  }
  return std::nullopt;
}

}  // namespace quarto
