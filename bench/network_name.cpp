#include "bench/network_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

namespace quarto::bench {

NetworkConfig parse_network(const std::string& text) {
  NetworkConfig config;
  const auto colon = text.find(':');
  const auto kind = value_named<NetworkKind>(text.substr(0, colon));
  if (!kind) {
    throw ConfigError(
        fmt::format("unknown network '{}': expected one of {}", text, fmt::join(all_names<NetworkKind>(), ", ")));
  }
  config.kind = *kind;
  if (colon == std::string::npos) return config.resolved();
  const std::string sizes = text.substr(colon + 1);
  int two = 0, three = 0;  // characters up to the end of the second and of the third number
  std::sscanf(sizes.c_str(), "%dx%d%nx%d%n", &config.width, &config.blocks, &two, &config.placements, &three);
  const auto length = static_cast<int>(sizes.size());
  const bool good = two == length || (config.kind == NetworkKind::pairs && three == length);
  if (!good || config.placements < 1 || config.placements > 4) {
    throw ConfigError(
        fmt::format("'{}': expected WIDTHxBLOCKS or, of pairs, WIDTHxBLOCKSxPLACEMENTS (1 to 4) after the colon, e.g. "
                    "pairs:16x3x2",
                    text));
  }
  return config.resolved();
}

}  // namespace quarto::bench
