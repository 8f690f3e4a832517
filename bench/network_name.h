// How a benchmark's command line names a network.
#pragma once

#include <string>

#include "model/config.h"

namespace quarto::bench {

// KIND or KIND:WIDTHxBLOCKS. Throws ConfigError.
NetworkConfig parse_network(const std::string& text);

}  // namespace quarto::bench
