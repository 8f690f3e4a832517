#include "env/network_loader.h"

#include <fmt/format.h>

#include "env/notation.h"

namespace quarto {

void require_rules(const LoadedNetwork& network, const std::filesystem::path& path, Rules rules) {
  if (network.rules == rules) return;
  throw NetworkMismatch(fmt::format("{}: this network was trained for the rules '{}', not '{}': use --rules {}",
                                    path.string(), to_string(network.rules), to_string(rules),
                                    to_string(network.rules)));
}

}  // namespace quarto
