// Names of files may be any bytes; JSON and HTML are UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace quarto {

// Well-formed as in table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);
// The same text, with U+FFFD for each byte that belongs to no character.
std::string as_utf8(std::string_view text);

}  // namespace quarto
