// Configuration structs to and from YAML, JSON and `--set key=value`; how a struct lists its fields is in
// base/fields.h. A library of its own (quartozero_config), since YAML and JSON come with it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/assign.h"
#include "base/fields.h"

namespace quarto {

namespace config {

// Overwrites the visited fields with those of a YAML text; missing keys keep their values, unknown keys and values of
// the wrong type or out of range are errors. `origin` is the file name for messages.
void load_yaml(std::string_view yaml, const std::string& origin, const Visit& visit);
// The whole configuration, with its documentation as comments. Loading it gives back the same values.
std::string to_yaml(const Visit& visit);
nlohmann::json to_json(const Visit& visit);
void from_json(const nlohmann::json& json, const std::string& origin, const Visit& visit);

// Visiting needs a mutable value; writers do not change it.
template <class T>
std::string to_yaml(const T& value) {
  T copy = value;
  return to_yaml(visitor_of(copy));
}

}  // namespace config

}  // namespace quarto
