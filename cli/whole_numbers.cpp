#include "cli/whole_numbers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace quarto {
namespace {

// What is wrong with it; "" if it is decimal and fits, or no number at all, which CLI11 says.
template <class Number>
std::string fault_of_whole_number(std::string_view text) {
  constexpr const char* kDecimal = "must be decimal, with nothing in front";
  if (!text.empty() && (text[0] == '+' || std::isspace(static_cast<unsigned char>(text[0])) != 0)) return kDecimal;
  if (std::is_unsigned_v<Number> && text.starts_with('-')) return "must be 0 or more";
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  if (digits.size() > 1 && digits[0] == '0' && std::isalnum(static_cast<unsigned char>(digits[1]))) return kDecimal;
  Number n{};
  const bool whole = !digits.empty() && std::all_of(digits.begin(), digits.end(), is_digit);
  if (whole && std::from_chars(text.data(), text.data() + text.size(), n).ec != std::errc())
    return "is too large for a number";
  return "";
}

}  // namespace

void require_whole_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();  // also "N:INT in [1 - 64]"
    if (type.find("UINT") != type.npos) {
      option->check(CLI::Validator(&fault_of_whole_number<std::uint64_t>, ""));
    } else if (type.find("INT") != type.npos) {
      option->check(CLI::Validator(&fault_of_whole_number<std::int64_t>, ""));
    }
  }
  for (CLI::App* command : app.get_subcommands({})) require_whole_numbers(*command);
}

}  // namespace quarto
