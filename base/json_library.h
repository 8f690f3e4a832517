// nlohmann-json, with conversions to whole numbers that refuse everything else. The library's own conversions cut
// fractions off, wrap numbers that are too large, take true for 1, and are undefined for 1e300 as an int. They still
// apply to enumerations: read the number, and check it. A program that used both kinds would be ill-formed, so no other
// file of a part includes <nlohmann/json.hpp> (cmake/layers.cmake checks that), and this one is not installed.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

namespace quarto::json_detail {

template <class T>
concept WholeNumber =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

}  // namespace quarto::json_detail

// Declared before the library's own code, which converts to whole numbers as well.
template <class T>
requires quarto::json_detail::WholeNumber<T>
struct nlohmann::adl_serializer<T> {
  template <class Json>
  static void from_json(const Json& json, T& value);
  template <class Json>
  static void to_json(Json& json, T value) noexcept;
};

#include <nlohmann/json.hpp>

// Throws nlohmann::json::type_error for all but whole numbers that T can hold.
template <class T>
requires quarto::json_detail::WholeNumber<T>
template <class Json>
void nlohmann::adl_serializer<T>::from_json(const Json& json, T& value) {
  // The library has an unsigned number for one that is not negative.
  const auto* number = json.template get_ptr<const typename Json::number_integer_t*>();
  const auto* natural = json.template get_ptr<const typename Json::number_unsigned_t*>();
  if (natural ? std::in_range<T>(*natural) : number && std::in_range<T>(*number)) {
    value = natural ? static_cast<T>(*natural) : static_cast<T>(*number);
    return;
  }
  const std::string found = json.is_number() ? json.dump() : json.type_name();
  throw Json::type_error::create(302,
                                 "type must be whole number from " + std::to_string(std::numeric_limits<T>::min()) +
                                     " to " + std::to_string(std::numeric_limits<T>::max()) + ", but is " + found,
                                 &json);
}

template <class T>
requires quarto::json_detail::WholeNumber<T>
template <class Json>
void nlohmann::adl_serializer<T>::to_json(Json& json, T value) noexcept {
  nlohmann::to_json(json, value);
}

namespace quarto {

// In one line, or with so many spaces a level. Names of files may be any bytes; what is not UTF-8 becomes U+FFFD.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace quarto
