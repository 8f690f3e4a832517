// JSON from outside. The parser takes any depth of nesting, but what descends into its result, dump() for one, runs out
// of stack: text that is nested deeper than anything this program writes is refused before it is parsed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/checksum.h"
#include "base/json_library.h"
#include "base/json_message.h"

namespace quarto {

inline constexpr int kMostJsonDepth = 32;

class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether lists and objects are nested more than `most` deep. The text need not be valid JSON.
inline bool nested_deeper(std::string_view text, int most) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      if (++depth > most) return true;
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

// Throws JsonError, whose message says what is wrong. `callback` as for nlohmann::json::parse.
inline nlohmann::json parse_json(std::string_view text, const nlohmann::json::parser_callback_t& callback = nullptr) {
  if (nested_deeper(text, kMostJsonDepth))
    throw JsonError("nested more than " + std::to_string(kMostJsonDepth) + " lists and objects deep");
  try {
    return nlohmann::json::parse(text, callback);
  } catch (const nlohmann::json::exception& e) {
    throw JsonError(without_library_code(e.what()));
  }
}

// A whole number from `least` to `most`. Throws JsonError for anything else.
template <class T>
T integer_in(const nlohmann::json& json, T least, T most) {
  static_assert(sizeof(T) <= sizeof(std::int64_t) && std::is_integral_v<T>);
  const bool whole = json.is_number_integer();  // of either sign
  const bool large = json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  if (whole && !large && std::in_range<T>(json.get<std::int64_t>())) {
    const T value = static_cast<T>(json.get<std::int64_t>());
    if (value >= least && value <= most) return value;
  }
  throw JsonError("expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

inline std::string checksum_text(const nlohmann::json& object) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08x", crc32c(object.dump()));
  return digits;
}

// A JSON object as text with its own checksum ("crc32c", over the text without it), for files that this program reads
// back. JSON has no one spelling, so the checksum is that of dump().
inline std::string sealed(nlohmann::json object, int indent = 1) {
  object.erase("crc32c");
  object["crc32c"] = checksum_text(object);
  return object.dump(indent) + "\n";
}

// The object without its checksum. Throws JsonError for text that is no object, and if it is not what was sealed.
inline nlohmann::json unsealed(std::string_view text) {
  nlohmann::json object = parse_json(text);
  if (!object.is_object()) throw JsonError("not an object");
  if (!object.contains("crc32c")) throw JsonError("its checksum is missing");
  const nlohmann::json said = object["crc32c"];
  object.erase("crc32c");
  if (said != checksum_text(object)) throw JsonError("its checksum is wrong: the file is damaged or was edited");
  return object;
}

// parse_json(), with null for text that it refuses.
inline nlohmann::json json_or_null(std::string_view text) {
  if (nested_deeper(text, kMostJsonDepth)) return nullptr;
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  return json.is_discarded() ? nlohmann::json() : json;
}

}  // namespace quarto
