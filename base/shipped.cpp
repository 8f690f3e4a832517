#include "base/shipped.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "base/program.h"

#ifndef QUARTOZERO_SOURCE_TREE
#define QUARTOZERO_SOURCE_TREE ""
#endif

namespace quarto {
namespace fs = std::filesystem;

namespace {

fs::path& given_folder() {
  static fs::path folder;
  return folder;
}

}  // namespace

void look_for_shipped_in(fs::path folder) { given_folder() = std::move(folder); }

std::optional<fs::path> find_shipped(const fs::path& file) {
  std::vector<fs::path> places;
  if (!given_folder().empty()) places.push_back(given_folder() / file);
  for (const fs::path& folder : program_folders()) {
    places.push_back(folder / file);
    places.push_back(folder / "share" / "quartozero" / file);
  }
  if (*QUARTOZERO_SOURCE_TREE != '\0') places.push_back(fs::path(QUARTOZERO_SOURCE_TREE) / file);
  std::error_code ignored;
  for (const fs::path& place : places) {
    if (fs::exists(place, ignored)) return place;
  }
  return std::nullopt;
}

fs::path or_shipped(const fs::path& named) {
  std::error_code ignored;
  if (named.empty() || fs::exists(named, ignored)) return named;
  const fs::path& first = *named.begin();
  if ((first != "configs" && first != "checkpoints" && first != "eval") ||
      std::find(named.begin(), named.end(), "..") != named.end())
    return named;
  return find_shipped(named).value_or(named);
}

}  // namespace quarto
