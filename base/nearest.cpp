#include "base/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <system_error>

namespace quarto {

namespace {

// Levenshtein's.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t substitute = diagonal + (from[i - 1] == to[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substitute, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(3, word.size() / 2 + 1);
  for (const std::string& candidate : candidates) {
    // To the whole key and to its last part, so that a key without its section, or in a wrong one, is found as well.
    std::size_t d = edits(word, candidate);
    if (const auto dot = candidate.rfind('.'); dot != std::string::npos) {
      const std::string_view last = std::string_view(candidate).substr(dot + 1);
      d = std::min(d, edits(word, last));
      // A section of another name costs as much as a wrong letter.
      if (const auto own = word.rfind('.'); own != std::string_view::npos)
        d = std::min(d, 1 + edits(word.substr(own + 1), last));
    }
    if (d >= fewest) continue;
    fewest = d;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view meant) {
  return meant.empty() ? "" : fmt::format(" (did you mean '{}'?)", meant);
}

std::string did_you_mean_or(std::string_view meant, std::string_view otherwise) {
  return meant.empty() ? std::string(otherwise) : fmt::format("did you mean '{}'?", meant);
}

std::filesystem::path nearest_file(const std::filesystem::path& missing) {
  namespace fs = std::filesystem;
  const fs::path folder = missing.parent_path();
  std::vector<fs::path> names;
  std::error_code error, unknown;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path name = at->path().filename();
    const bool left_over = name.extension().string().starts_with(".tmp");  // by a program that was killed
    if (at->is_regular_file(unknown) && !left_over) names.push_back(name);
  }
  std::sort(names.begin(), names.end());  // not in the order of the disk
  fs::path best;
  std::size_t fewest = 3;
  const std::string wanted = missing.stem().string();
  for (const bool same_extension : {true, false}) {
    for (const fs::path& name : names) {
      if ((name.extension() == missing.extension()) != same_extension) continue;
      const std::string stem = name.stem().string();
      // At least half of the letters must be right.
      const std::size_t d = edits(wanted, stem);
      if (d >= fewest || (d > 0 && std::min(wanted.size(), stem.size()) < 2 * d)) continue;
      fewest = d;
      best = folder / name;
    }
  }
  return best;
}

}  // namespace quarto
