// The networks that come with the program, in the folders checkpoints/NAME.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/shipped.h"
#include "env/rules.h"

namespace quarto {

struct ShippedNetwork {
  std::string_view name;
  Rules rules;
};

// Of each rule set the one that gives hints and is played against first. web/page/files.js has the same names in the
// same order (tests/play/levels_test.cpp).
inline constexpr auto kShippedNetworks = std::to_array<ShippedNetwork>(
    {{"zero", Rules::lines}, {"distilled", Rules::lines}, {"small", Rules::lines}, {"squares", Rules::squares}});

// checkpoints/NAME/model.light; nullopt if it is not there.
inline std::optional<std::filesystem::path> shipped_network(std::string_view name) {
  return find_shipped(std::filesystem::path("checkpoints") / name / "model.light");
}

// The first one of these rules; nullopt if there is none, or it is not there.
inline std::optional<std::filesystem::path> shipped_network(Rules rules) {
  for (const ShippedNetwork& network : kShippedNetworks) {
    if (network.rules == rules) return shipped_network(network.name);
  }
  return std::nullopt;
}

}  // namespace quarto
