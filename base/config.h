// Configuration as typed values. A struct lists its fields once, in `void visit(FieldVisitor&)`; loading from YAML,
// saving, `--set key=value`, range checks, help texts and the "did you mean" of an unknown key all come from that list.
//
//     struct SearchConfig {
//       int simulations = 64;
//       void visit(FieldVisitor& v) { v.field("simulations", simulations, "evaluations per move", {1, 1e6}); }
//     };
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace quarto {

// The message names the key, the file and line where there is one, and the nearest valid key or the allowed values.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Bounds {
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
};

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  // Fields visited by `body` belong to the section; keys are written "section.key".
  virtual void section(const char* name, const char* doc, const std::function<void()>& body) = 0;
  virtual void field(const char* name, int& value, const char* doc, Bounds bounds = {}) = 0;
  virtual void field(const char* name, std::uint64_t& value, const char* doc) = 0;
  virtual void field(const char* name, double& value, const char* doc, Bounds bounds = {}) = 0;
  virtual void field(const char* name, bool& value, const char* doc) = 0;
  // With choices, the value must be one of them.
  virtual void field(const char* name, std::string& value, const char* doc,
                     const std::vector<std::string>& choices = {}) = 0;
};

using Visit = std::function<void(FieldVisitor&)>;

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

// The candidate closest to `word` in edit distance (Levenshtein), or "" if none is reasonably close.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace quarto
