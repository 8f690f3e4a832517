// A number as text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace quarto {

// The number that the whole text is, in the form of std::from_chars: no blanks, no '+'. Nothing for any other text, and
// for a number that does not fit.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number n{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, n);
  if (error != std::errc() || stop != end) return std::nullopt;
  return n;
}

}  // namespace quarto
