// Percent-encoding in addresses (RFC 3986, section 2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quarto {

// "%2F" is '/'. nullopt where a '%' is not followed by two hexadecimal digits, or they are the byte 0.
inline std::optional<std::string> percent_decoded(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string decoded;
  while (!text.empty()) {
    if (text.front() != '%') {
      decoded += text.front();
      text.remove_prefix(1);
      continue;
    }
    const int high = text.size() < 3 ? -1 : digit(text[1]), low = text.size() < 3 ? -1 : digit(text[2]);
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    text.remove_prefix(3);
  }
  return decoded;
}

}  // namespace quarto
