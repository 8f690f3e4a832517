// Loads light files as evaluators (env/network_loader.h).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "env/network_loader.h"
#include "light/network_file.h"

namespace quarto {

// `path` is a file or a folder with a `model.light` in it, perhaps a shipped one (or_shipped() in base/shipped.h). The
// file, which need not exist. Throws FileError for a folder without one.
std::filesystem::path light_network_file(const std::filesystem::path& path);
// Throws light::NetworkFileError, FileError.
LoadedNetwork load_light_network(const std::filesystem::path& path);

namespace light {
// The metadata of a network as texts, for display.
std::map<std::string, std::string> describe(const NetworkInfo& info);
}  // namespace light

}  // namespace quarto
