#include "serve/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "base/json.h"
#include "base/json_message.h"
#include "base/nearest.h"

namespace quarto::serve {
namespace {

constexpr std::size_t kMostQuoted = 60;

std::string_view kind_of(const nlohmann::json& value) {
  using Type = nlohmann::json::value_t;
  switch (value.type()) {
    case Type::null:
      return "null";
    case Type::object:
      return "an object";
    case Type::array:
      return "an array";
    case Type::string:
      return "a string";
    case Type::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

std::string text_of(const nlohmann::json& value, const std::string& field, std::size_t most_bytes) {
  if (!value.is_string()) throw invalid(field, fmt::format("must be a string, not {}", kind_of(value)));
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > most_bytes)
    throw invalid(field, fmt::format("is {} bytes long, more than {}", text.size(), most_bytes));
  return text;
}

}  // namespace

RequestError invalid(const std::string& field, const std::string& message) {
  return RequestError(400, "invalid_value", fmt::format("{}: {}", field, message), field);
}

Json error_body(const RequestError& error) {
  Json body = {{"code", error.code()}, {"message", error.what()}};
  if (!error.field().empty()) body["field"] = error.field();
  return {{"error", std::move(body)}};
}

std::string to_text(const Json& json) { return json_text(json) + "\n"; }

double rounded(double x) { return std::round(x * 1e6) / 1e6; }

std::string in_quotes(std::string_view text) {
  std::string shown = "'";
  for (const char c : text.substr(0, kMostQuoted)) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) shown += c;
  }
  return shown + (text.size() > kMostQuoted ? "...'" : "'");
}

nlohmann::json parse_body(std::string_view text) {
  using nlohmann::json;
  if (nested_deeper(text, kMostDepth))
    throw RequestError(400, "invalid_json", fmt::format("the JSON is nested more than {} deep", kMostDepth));
  // The names so far in each object that is still open.
  std::vector<std::set<std::string>> names;
  const auto check = [&names](int, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
        names.emplace_back();
        break;
      case json::parse_event_t::object_end:
        names.pop_back();
        break;
      case json::parse_event_t::key: {
        const auto& name = parsed.get_ref<const std::string&>();
        if (!names.back().insert(name).second) {
          throw RequestError(400, "duplicate_field", fmt::format("the field {} is repeated", in_quotes(name)),
                             name.substr(0, kMostQuoted));
        }
        break;
      }
      default:
        break;
    }
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::parse_error& e) {
    throw RequestError(400, "invalid_json",
                       fmt::format("the body is not JSON: {}", without_library_code(e.what()).substr(0, 300)));
  } catch (const json::exception&) {
    throw RequestError(400, "invalid_json", "the body has a number that is too large");
  }
}

namespace {
constexpr const char *kSimulations = "simulations", *kSims = "sims";
}  // namespace

Fields::Fields(const nlohmann::json& object, std::vector<std::string> names) : object_(object) {
  if (!object.is_object())
    throw RequestError(400, "invalid_json", fmt::format("the body must be an object, not {}", kind_of(object)));
  for (const auto& [name, value] : object.items()) {
    const bool other = name == kSims && !object.contains(kSimulations);
    if (std::find(names.begin(), names.end(), other ? kSimulations : name) != names.end()) continue;
    // Only the beginning of a long name is compared: computing the distance takes time proportional to both lengths.
    const std::string close = nearest(std::string_view(name).substr(0, kMostQuoted), names);
    const std::string all = fmt::format("the fields are {}", fmt::join(names, ", "));
    throw RequestError(400, "unknown_field",
                       fmt::format("unknown field {}; {}", in_quotes(name), did_you_mean_or(close, all)),
                       name.substr(0, kMostQuoted));
  }
}

const nlohmann::json* Fields::find(const std::string& name) const {
  auto it = object_.find(name);
  if (it == object_.end() && name == kSimulations) it = object_.find(kSims);
  return it == object_.end() || it->is_null() ? nullptr : &*it;
}

std::optional<std::string> Fields::text(const std::string& name, std::size_t most_bytes) const {
  const nlohmann::json* value = find(name);
  if (!value) return std::nullopt;
  return text_of(*value, name, most_bytes);
}

std::optional<std::int64_t> Fields::whole(const std::string& name, std::int64_t least, std::int64_t most) const {
  const nlohmann::json* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_number_integer()) {
    // The parser reads whole numbers beyond 64 bits as fractions.
    throw invalid(name,
                  fmt::format("must be a whole number from {} to {}, not {}", least, most,
                              value->is_number() ? "a fraction, an exponent or a number this large" : kind_of(*value)));
  }
  // The parser makes a number unsigned if it does not fit a signed one.
  const bool huge = value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX;
  if (huge || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most)
    throw invalid(name, fmt::format("must be from {} to {}, not {}", least, most, value->dump()));
  return value->get<std::int64_t>();
}

std::optional<bool> Fields::flag(const std::string& name) const {
  const nlohmann::json* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) throw invalid(name, fmt::format("must be true or false, not {}", kind_of(*value)));
  return value->get<bool>();
}

std::optional<std::vector<std::string>> Fields::texts(const std::string& name, std::size_t most,
                                                      std::size_t most_bytes) const {
  const nlohmann::json* value = find(name);
  if (!value) return std::nullopt;
  if (!value->is_array()) throw invalid(name, fmt::format("must be an array of strings, not {}", kind_of(*value)));
  if (value->empty() || value->size() > most)
    throw invalid(name, fmt::format("must have from 1 to {} entries, not {}", most, value->size()));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < value->size(); ++i)
    texts.push_back(text_of((*value)[i], fmt::format("{}[{}]", name, i), most_bytes));
  return texts;
}

}  // namespace quarto::serve
