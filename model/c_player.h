// Writes a network as one header of C99 that contains a whole player: rules, evaluation, weights in half precision. For
// microcontrollers, and for other languages that can call C.
#pragma once

#include <string>
#include <string_view>

namespace quarto {

// `light_file`: the bytes of a light file (light/network_file.h), of either precision; `origin` names it in messages
// and in the header's first line. The text is a function of the bytes alone. Throws light::NetworkFileError for a file
// that is none or is damaged, and std::invalid_argument for a weight that half precision cannot hold.
std::string c_player(std::string_view light_file, const std::string& origin);

}  // namespace quarto
