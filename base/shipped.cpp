#include "base/shipped.h"

#include <system_error>

#ifndef QUARTOZERO_SOURCE_TREE
#define QUARTOZERO_SOURCE_TREE ""
#endif

namespace quarto {
namespace fs = std::filesystem;

std::vector<fs::path> shipped_places(const fs::path& file) {
  std::vector<fs::path> places;
  std::error_code none;
  const fs::path executable = fs::read_symlink("/proc/self/exe", none);
  for (fs::path folder = executable.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    places.push_back(folder / file);
    places.push_back(folder / "share" / "quartozero" / file);
    if (folder == folder.root_path()) break;
  }
  if (*QUARTOZERO_SOURCE_TREE != '\0') places.push_back(fs::path(QUARTOZERO_SOURCE_TREE) / file);
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
