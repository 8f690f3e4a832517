// What a JSON library's exception says, for users.
#pragma once

#include <string>
#include <string_view>

namespace quarto {

// Without the library's name and number of the error in brackets at its beginning:
// "[json.exception.type_error.302] type must be string, but is number".
inline std::string without_library_code(std::string_view what) {
  if (const auto end = what.find("] "); what.starts_with("[json.exception.") && end != what.npos)
    what.remove_prefix(end + 2);
  return std::string(what);
}

}  // namespace quarto
