#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <system_error>

namespace quarto {

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(3, word.size() / 2 + 1);
  for (const std::string& candidate : candidates) {
    // Distance to the whole key and to its last part, so that a key put in the wrong section is found as well.
    const auto distance = [&](std::string_view to) {
      std::vector<std::size_t> row(to.size() + 1);
      std::iota(row.begin(), row.end(), std::size_t{0});
      for (std::size_t i = 1; i <= word.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
          const std::size_t substitute = diagonal + (word[i - 1] == to[j - 1] ? 0 : 1);
          diagonal = row[j];
          row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
        }
      }
      return row.back();
    };
    const auto dot = candidate.rfind('.');
    const std::size_t d =
        std::min(distance(candidate),
                 dot == std::string::npos ? std::string::npos : distance(std::string_view(candidate).substr(dot + 1)));
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::filesystem::path nearest_file(const std::filesystem::path& missing) {
  namespace fs = std::filesystem;
  const fs::path folder = missing.parent_path();
  std::vector<fs::path> names;
  std::error_code error, unknown;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end; at.increment(error)) {
    if (at->is_regular_file(unknown)) names.push_back(at->path().filename());
  }
  std::sort(names.begin(), names.end());  // not in the order of the disk
  std::stable_partition(names.begin(), names.end(),
                        [&](const fs::path& name) { return name.extension() == missing.extension(); });
  std::vector<std::string> stems;
  for (const fs::path& name : names) stems.push_back(name.stem().string());
  const std::string close = nearest(missing.stem().string(), stems);
  if (close.empty()) return {};
  return folder / names[static_cast<std::size_t>(std::find(stems.begin(), stems.end(), close) - stems.begin())];
}

}  // namespace quarto
