// Names of the values of an enumeration, in one list: configuration files, `--set`, choices in help texts and error
// messages all use it. An enumeration has names when a function `names_of` stands beside it:
//
//     enum class Schedule { cosine, linear };
//     constexpr auto names_of(Schedule) {
//       return std::to_array<Name<Schedule>>({{Schedule::cosine, "cosine"}, {Schedule::linear, "linear"}});
//     }
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace quarto {

template <class E>
struct Name {
  E value;
  std::string_view text;
};

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires(E e) {
  names_of(e);
};

template <NamedEnum E>
constexpr std::string_view name_of(E value) {
  for (const Name<E>& n : names_of(E{})) {
    if (n.value == value) return n.text;
  }
  return "?";
}

template <NamedEnum E>
constexpr std::optional<E> value_named(std::string_view text) {
  for (const Name<E>& n : names_of(E{})) {
    if (n.text == text) return n.value;
  }
  return std::nullopt;
}

// In the order of the list.
template <NamedEnum E>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Name<E>& n : names_of(E{})) names.emplace_back(n.text);
  return names;
}

}  // namespace quarto
