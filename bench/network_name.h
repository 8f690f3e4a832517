// How a benchmark's command line names a network.
#pragma once

#include <string>

#include "model/config.h"

namespace quarto::bench {

// KIND, KIND:WIDTHxBLOCKS, or pairs:WIDTHxBLOCKSxPLACEMENTS (one placement unless given). Throws ConfigError.
NetworkConfig parse_network(const std::string& text);

}  // namespace quarto::bench
