// Files that come with the program: suites, opening books, networks.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace quarto {

// `file` as it lies in the source tree, e.g. "checkpoints/zero/model.light". Looked for in the tree this was built
// from, then, if that has moved away, in every folder above the executable, and there in share/quartozero as well.
std::optional<std::filesystem::path> find_shipped(const std::filesystem::path& file);
// The places, in that order.
std::vector<std::filesystem::path> shipped_places(const std::filesystem::path& file);

}  // namespace quarto
