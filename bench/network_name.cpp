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
  int end = 0;  // characters up to the end of the second number
  std::sscanf(sizes.c_str(), "%dx%d%n", &config.width, &config.blocks, &end);
  if (end == 0 || end != static_cast<int>(sizes.size()))
    throw ConfigError(fmt::format("'{}': expected WIDTHxBLOCKS after the colon, e.g. pairs:16x3", text));
  return config.resolved();
}

}  // namespace quarto::bench
