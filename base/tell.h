// What is said beside the result, on standard error.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace quarto {

// No work depends on these words, so what cannot be written (a terminal that is gone, a full disk) is lost and nothing
// is thrown. fmt::print() throws.
void tell_text(std::string_view text);

template <class... Args>
void tell(fmt::format_string<Args...> format, Args&&... args) {
  tell_text(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace quarto
