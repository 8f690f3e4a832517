#include "base/utf8.h"

#include <algorithm>
#include <cstddef>

namespace quarto {
namespace {

// The length of the character at the beginning; 0: there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  unsigned low = 0x80, high = 0xBF;  // of the second byte
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::filesystem::path path_of(std::string_view text) { return std::u8string(text.begin(), text.end()); }

std::size_t utf8_length(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(std::max<std::size_t>(character_length(text), 1));
  return count;
}

std::string cut_to(std::string_view text, std::size_t most) {
  constexpr std::string_view kMore = "...";
  if (utf8_length(text) <= most) return as_utf8(text);
  std::string_view rest = text;
  for (std::size_t kept = kMore.size(); kept < most; ++kept)
    rest.remove_prefix(std::max<std::size_t>(character_length(rest), 1));
  return as_utf8(text.substr(0, text.size() - rest.size())) + std::string(kMore);
}

std::string as_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace quarto
