// Writes a network as one header of C99 that contains a whole player: rules, evaluation and weights in integers. For
// microcontrollers, and for other languages that can call C.
#pragma once

#include <string>

#include "light/network_file.h"

namespace quarto {

// `origin` names the network in the header's first line. The text is a function of both alone.
std::string c_player(const light::LightNetwork& network, const std::string& origin);

}  // namespace quarto
