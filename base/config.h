// Configuration structs to and from YAML, JSON and `--set key=value`; how a struct lists its fields is in
// base/fields.h. A library of its own (quarto_config), since YAML and JSON come with it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/fields.h"
#include "base/nearest.h"

namespace quarto {

// The message names the key, the file and line where there is one, and the nearest valid key or the allowed values.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace config {

// Overwrites the visited fields with those of a YAML text; missing keys keep their values, unknown keys and values of
// the wrong type or out of range are errors. `origin` is the file name for messages.
void load_yaml(std::string_view yaml, const std::string& origin, const Visit& visit);
// One "section.key=value". `option` is what the user wrote it after, for messages.
void set(std::string_view assignment, const Visit& visit, std::string_view option = "--set");
// The whole configuration, with its documentation as comments if asked for. Loading it gives back the same values.
std::string to_yaml(const Visit& visit, bool with_docs = true);
nlohmann::json to_json(const Visit& visit);
void from_json(const nlohmann::json& json, const std::string& origin, const Visit& visit);

template <class T>
Visit visitor_of(T& value) {
  return [&value](FieldVisitor& v) { value.visit(v); };
}
// Visiting needs a mutable value; writers do not change it.
template <class T>
std::string to_yaml(const T& value, bool with_docs = true) {
  T copy = value;
  return to_yaml(visitor_of(copy), with_docs);
}

}  // namespace config

}  // namespace quarto
