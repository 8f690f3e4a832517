// Values as text to fields (base/fields.h), with the checks and messages that every source of them shares: types,
// ranges, choices, unknown keys. The sources are `--set`, here, and YAML and JSON (base/config.h).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fields.h"

namespace quarto {

// The message names the key, the file and line where there is one, and the nearest valid key or the allowed values.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace config {

// A visitor that knows the sections around a field.
class PathVisitor : public FieldVisitor {
 public:
  void section(const char* name, const char* doc, const std::function<void()>& body) override;

 protected:
  virtual void enter(const char*, const char*) {}
  virtual void leave() {}
  std::string key(const char* name) const { return prefix_.empty() ? name : prefix_ + "." + name; }
  const std::string& section_path() const { return prefix_; }

 private:
  std::string prefix_;
};

// The full names of all keys and sections.
struct Keys {
  std::vector<std::string> keys, sections;
  bool has_key(const std::string& name) const;
  bool has_section(const std::string& name) const;
  // " (did you mean 'x'?)", or nothing.
  std::string hint(const std::string& name) const;
};
Keys keys_of(const Visit& visit);

// A value as text, and where it was read: "file.yaml:12".
struct Scalar {
  std::string text;
  std::string where;
};
// Of values for the same key the last one counts. Keys that are not visited are ignored. Throws ConfigError for a value
// of the wrong type or out of range.
void assign(std::vector<std::pair<std::string, Scalar>> values, const Visit& visit);

// One "section.key=value". `option` is what the user wrote it after, for messages.
void set(std::string_view assignment, const Visit& visit, std::string_view option = "--set");

template <class T>
Visit visitor_of(T& value) {
  return [&value](FieldVisitor& v) { value.visit(v); };
}

}  // namespace config
}  // namespace quarto
