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

// A message that may repeat what is in a file: control characters but line ends and tabs become '?'. Bytes of UTF-8
// stay.
inline std::string without_control_characters(std::string_view text) {
  std::string shown(text);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto byte = static_cast<unsigned char>(shown[i]);
    const bool control = (byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7F;
    // U+0080 to U+009F: some terminals take them as the start of a command.
    const bool c1 = byte == 0xC2 && i + 1 < shown.size() && static_cast<unsigned char>(shown[i + 1]) < 0xA0;
    if (control || c1) shown[i] = '?';
    if (c1) shown[i + 1] = '?';
  }
  return shown;
}

}  // namespace quarto
