// Loads light files as evaluators (env/network_loader.h).
#pragma once

#include <filesystem>

#include "env/network_loader.h"

namespace quarto {

// `path` leads to a file, or a folder with one, as find_weights() has it (light/weights.h). Throws
// light::NetworkFileError, FileError.
LoadedNetwork load_light_network(const std::filesystem::path& path);

}  // namespace quarto
