// The same text, of ASCII characters, as other programs write it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quarto {

inline std::vector<std::string> as_others_write(std::string_view text) {
  std::string returns, little = "\xFF\xFE", big = "\xFE\xFF";
  for (const char c : text) returns += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const char c : returns) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  std::vector<std::string> all{std::string(text),        returns, "\xEF\xBB\xBF" + std::string(text),
                               "\xEF\xBB\xBF" + returns, little,  big};
  if (text.ends_with('\n')) all.emplace_back(text.substr(0, text.size() - 1));
  return all;
}

}  // namespace quarto
