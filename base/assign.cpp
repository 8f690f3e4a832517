#include "base/assign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "base/number.h"

namespace quarto::config {
namespace {

// 2000000000, not 2e+09: as the user would write it.
std::string limit_text(double limit) {
  const bool whole = limit == std::floor(limit) && std::abs(limit) < 1e15;
  return whole ? fmt::format("{:.0f}", limit) : fmt::format("{:g}", limit);
}

bool contains(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Collects the full names of all keys.
class KeyLister final : public PathVisitor {
 public:
  Keys found;
  void field(const char* name, int&, const char*, Bounds) override { found.keys.push_back(key(name)); }
  void field(const char* name, std::uint64_t&, const char*) override { found.keys.push_back(key(name)); }
  void field(const char* name, double&, const char*, Bounds) override { found.keys.push_back(key(name)); }
  void field(const char* name, bool&, const char*) override { found.keys.push_back(key(name)); }
  void field(const char* name, std::string&, const char*, const std::vector<std::string>&) override {
    found.keys.push_back(key(name));
  }

 protected:
  void enter(const char*, const char*) override { found.sections.push_back(section_path()); }
};

class Assigner final : public PathVisitor {
 public:
  explicit Assigner(std::vector<std::pair<std::string, Scalar>> values) : values_(std::move(values)) {}

  void field(const char* name, int& value, const char*, Bounds bounds) override {
    assign_number<long long>(
        name, "a whole number", bounds, [&](long long n) { value = static_cast<int>(n); },
        Bounds{std::numeric_limits<int>::min(), std::numeric_limits<int>::max()});
  }
  void field(const char* name, std::uint64_t& value, const char*) override {
    assign_number<std::uint64_t>(name, "a whole number, zero or more", {}, [&](std::uint64_t n) { value = n; }, {});
  }
  void field(const char* name, double& value, const char*, Bounds bounds) override {
    assign_number<double>(name, "a number", bounds, [&](double n) { value = n; }, {});
  }
  void field(const char* name, bool& value, const char*) override {
    const Scalar* s = find(name);
    if (!s) return;
    if (s->text == "true" || s->text == "yes" || s->text == "on")
      value = true;
    else if (s->text == "false" || s->text == "no" || s->text == "off")
      value = false;
    else
      wrong(name, *s, "true or false");
  }
  void field(const char* name, std::string& value, const char*, const std::vector<std::string>& choices) override {
    const Scalar* s = find(name);
    if (!s) return;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), s->text) == choices.end()) {
      wrong(name, *s, fmt::format("one of {}{}", fmt::join(choices, ", "), did_you_mean(nearest(s->text, choices))));
    }
    value = s->text;
  }

 private:
  const Scalar* find(const char* name) const {
    const std::string wanted = key(name);
    // The last one wins, as in a list of --set options.
    const auto at = std::find_if(values_.rbegin(), values_.rend(), [&](const auto& v) { return v.first == wanted; });
    return at == values_.rend() ? nullptr : &at->second;
  }
  [[noreturn]] void wrong(const char* name, const Scalar& s, const std::string& expected) const {
    throw ConfigError(fmt::format("{}: '{}' is '{}', expected {}", s.where, key(name), s.text, expected));
  }
  template <class T, class Store>
  void assign_number(const char* name, const char* expected, Bounds bounds, const Store& store, Bounds type_bounds) {
    const Scalar* s = find(name);
    if (!s) return;
    const auto n = number_from<T>(s->text);
    if (!n || !std::isfinite(static_cast<double>(*n))) wrong(name, *s, expected);
    const auto x = static_cast<double>(*n);
    if (x < std::max(bounds.low, type_bounds.low) || x > std::min(bounds.high, type_bounds.high)) {
      wrong(name, *s,
            fmt::format("{} from {} to {}", expected, limit_text(std::max(bounds.low, type_bounds.low)),
                        limit_text(std::min(bounds.high, type_bounds.high))));
    }
    store(*n);
  }

  std::vector<std::pair<std::string, Scalar>> values_;
};

}  // namespace

void PathVisitor::section(const char* name, const char* doc, const std::function<void()>& body) {
  const std::string outer = prefix_;
  prefix_ = key(name);
  enter(name, doc);
  body();
  leave();
  prefix_ = outer;
}

bool Keys::has_key(const std::string& name) const { return contains(keys, name); }
bool Keys::has_section(const std::string& name) const { return contains(sections, name); }
std::string Keys::hint(const std::string& name) const {
  std::vector<std::string> all = keys;
  all.insert(all.end(), sections.begin(), sections.end());
  return did_you_mean(nearest(name, all));
}

Keys keys_of(const Visit& visit) {
  KeyLister lister;
  visit(lister);
  return std::move(lister.found);
}

void assign(std::vector<std::pair<std::string, Scalar>> values, const Visit& visit) {
  Assigner assigner(std::move(values));
  visit(assigner);
}

void set(std::string_view assignment, const Visit& visit, std::string_view option) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw ConfigError(fmt::format("{} {}: expected key=value", option, assignment));
  }
  const Keys known = keys_of(visit);
  const std::string key(assignment.substr(0, equals));
  if (!known.has_key(key)) {
    throw ConfigError(
        fmt::format("{} {}: unknown key '{}'{}", option, assignment, key, did_you_mean(nearest(key, known.keys))));
  }
  assign({{key, {std::string(assignment.substr(equals + 1)), fmt::format("{} {}", option, assignment)}}}, visit);
}

}  // namespace quarto::config
