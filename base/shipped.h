// Files that come with the program: suites, opening books, networks.
#pragma once

#include <filesystem>
#include <optional>

namespace quarto {

// `file` as it lies in the source tree, e.g. "checkpoints/zero/model.light". Looked for in look_for_shipped_in()'s folder,
// in program_folders() (program.h), there in share/quartozero as well, then, if tests were built, in the tree this was
// built from.
std::optional<std::filesystem::path> find_shipped(const std::filesystem::path& file);
// For a library in the program of others, as in Python, whose executable has none of these files around it. Not while
// another thread looks.
void look_for_shipped_in(std::filesystem::path folder);
// What a command line names: the path itself, unless nothing is there and it begins with configs/, checkpoints/ or
// eval/. Then the shipped file of that name, if there is one. So "configs/demo.yaml" is found from any folder. Paths
// with ".." and all others are left as they are; the caller says what is missing.
std::filesystem::path or_shipped(const std::filesystem::path& named);

}  // namespace quarto
