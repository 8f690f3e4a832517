// Names of files may be any bytes; JSON and HTML are UTF-8.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace quarto {

// Well-formed as in table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);
// The same text, with U+FFFD for each byte that belongs to no character.
std::string as_utf8(std::string_view text);
// The inverse of path::string(). On Windows the constructor takes each byte for a character.
std::filesystem::path path_of(std::string_view text);
// The number of its characters, of which each byte that belongs to none counts as one.
std::size_t utf8_length(std::string_view text);
// As as_utf8(), and where it has more characters than `most`, only the first ones with "..." at the end: `most` in all.
std::string cut_to(std::string_view text, std::size_t most);

}  // namespace quarto
