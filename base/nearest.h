// "Did you mean ...?"
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace quarto {

// The candidate closest to `word` in edit distance (Levenshtein), or "" if none is reasonably close.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
// " (did you mean 'x'?)" of what was meant, or "" of "".
std::string did_you_mean(std::string_view meant);
// "did you mean 'x'?", or `otherwise` if `meant` is "".
std::string did_you_mean_or(std::string_view meant, std::string_view otherwise);

// The file in the same folder whose name without its extension is closest to that of `missing`, or an empty path if
// none is close. Of equally close ones it is that with the same extension, else the first by name.
std::filesystem::path nearest_file(const std::filesystem::path& missing);

}  // namespace quarto
