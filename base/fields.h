// Configuration as typed values. A struct lists its fields once, in `void visit(FieldVisitor&)`; loading from YAML,
// saving, `--set key=value`, range checks, help texts and the "did you mean" of an unknown key (base/config.h) all come
// from that list. Here is the list alone, without any file format.
//
//     struct SearchConfig {
//       int simulations = 64;
//       void visit(FieldVisitor& v) { v.field("simulations", simulations, "evaluations per move", {1, 1e6}); }
//     };
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/names.h"

namespace quarto {

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
  // The choices are the names of the enumeration's values (base/names.h).
  template <NamedEnum E>
  void field(const char* name, E& value, const char* doc) {
    std::string text(name_of(value));
    field(name, text, doc, all_names<E>());
    value = value_named<E>(text).value_or(value);
  }
};

using Visit = std::function<void(FieldVisitor&)>;

}  // namespace quarto
