// "Did you mean ...?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quarto {

// The candidate closest to `word` in edit distance (Levenshtein), or "" if none is reasonably close.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace quarto
