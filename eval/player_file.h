// The file behind a player with a network.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace quarto {

// The file that make_player() reads with network_loader() (model/evaluators.h): of net:FOLDER its weights_file(), of
// light:FOLDER its model.light. Nothing for a player without a network. Throws PlayerError, and what weights_file() and
// light_network_file() throw when there is none.
std::optional<std::filesystem::path> player_file(const std::string& name);

}  // namespace quarto
