// ASCII text in lower case, whatever the locale is; other bytes stay as they are.
#pragma once

#include <string>
#include <string_view>

namespace quarto {

inline std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace quarto
