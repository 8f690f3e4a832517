// What a stranger wrote, fit for repeating in a message.
#pragma once

#include <string>
#include <string_view>

namespace quarto {

// Printable ASCII only, nothing that would confuse a terminal or a reader of lines, and cut after `most` characters.
inline std::string printable(std::string_view text, std::size_t most = 160) {
  std::string shown(text.substr(0, most));
  for (char& c : shown) c = c >= ' ' && c <= '~' ? c : '?';
  return text.size() > most ? shown + "..." : shown;
}

}  // namespace quarto
