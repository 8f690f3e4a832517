// "Did you mean ...?"
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quarto {

// The candidate closest to `word` in edit distance (Levenshtein), or "" if none is reasonably close.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// The file in the same folder whose name without its extension is closest to that of `missing`, or an empty path if
// none is close. Of equally close ones it is that with the same extension, else the first by name.
std::filesystem::path nearest_file(const std::filesystem::path& missing);

}  // namespace quarto
