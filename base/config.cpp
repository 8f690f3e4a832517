#include "base/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace quarto {
namespace {

std::string join(const std::string& prefix, const char* name) { return prefix.empty() ? name : prefix + "." + name; }

// Shared by all visitors: where in the tree of sections we are.
class PathVisitor : public FieldVisitor {
 public:
  void section(const char* name, const char* doc, const std::function<void()>& body) override {
    const std::string outer = prefix_;
    prefix_ = join(prefix_, name);
    enter(name, doc);
    body();
    leave();
    prefix_ = outer;
  }

 protected:
  virtual void enter(const char*, const char*) {}
  virtual void leave() {}
  std::string key(const char* name) const { return join(prefix_, name); }

 private:
  std::string prefix_;
};

// Collects the full names of all keys.
class KeyLister final : public PathVisitor {
 public:
  std::vector<std::string> keys, sections;
  void field(const char* name, int&, const char*, Bounds) override { keys.push_back(key(name)); }
  void field(const char* name, std::uint64_t&, const char*) override { keys.push_back(key(name)); }
  void field(const char* name, double&, const char*, Bounds) override { keys.push_back(key(name)); }
  void field(const char* name, bool&, const char*) override { keys.push_back(key(name)); }
  void field(const char* name, std::string&, const char*, const std::vector<std::string>&) override {
    keys.push_back(key(name));
  }

 protected:
  void enter(const char*, const char*) override { sections.push_back(key("").substr(0, key("").size() - 1)); }
};

std::string hint(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string close = nearest(word, candidates);
  return close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close);
}

// A value as text with the place it came from, so that one set of checks serves every source.
struct Scalar {
  std::string text;
  std::string where;  // "file.yaml:12"
  bool quoted = false;
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
      wrong(name, *s, fmt::format("one of {}{}", fmt::join(choices, ", "), hint(s->text, choices)));
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
    T n{};
    const char* end = s->text.data() + s->text.size();
    const auto [stop, error] = std::from_chars(s->text.data(), end, n);
    if (error != std::errc() || stop != end || !std::isfinite(static_cast<double>(n))) wrong(name, *s, expected);
    const auto x = static_cast<double>(n);
    if (x < std::max(bounds.low, type_bounds.low) || x > std::min(bounds.high, type_bounds.high)) {
      wrong(name, *s,
            fmt::format("{} from {:g} to {:g}", expected, std::max(bounds.low, type_bounds.low),
                        std::min(bounds.high, type_bounds.high)));
    }
    store(n);
  }

  std::vector<std::pair<std::string, Scalar>> values_;
};

void flatten(const YAML::Node& node, const std::string& prefix, const std::string& origin, const KeyLister& known,
             std::vector<std::pair<std::string, Scalar>>& out) {
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) {
      throw ConfigError(fmt::format("{}:{}: a key must be a plain word", origin, entry.first.Mark().line + 1));
    }
    const std::string name = entry.first.Scalar();
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    const int line = entry.first.Mark().line + 1;
    const std::string where = line > 0 ? fmt::format("{}:{}", origin, line) : origin;
    const bool is_key = std::find(known.keys.begin(), known.keys.end(), key) != known.keys.end();
    const bool is_section = std::find(known.sections.begin(), known.sections.end(), key) != known.sections.end();
    if (!is_key && !is_section) {
      std::vector<std::string> all = known.keys;
      all.insert(all.end(), known.sections.begin(), known.sections.end());
      throw ConfigError(fmt::format("{}: unknown key '{}'{}", where, key, hint(key, all)));
    }
    for (const auto& [other, scalar] : out) {
      if (other == key)
        throw ConfigError(fmt::format("{}: '{}' appears twice (first at {})", where, key, scalar.where));
    }
    if (is_section) {
      if (entry.second.IsNull()) continue;
      if (!entry.second.IsMap()) {
        throw ConfigError(fmt::format("{}: '{}' is a section: expected indented keys below it", where, key));
      }
      flatten(entry.second, key, origin, known, out);
    } else {
      if (!entry.second.IsScalar()) throw ConfigError(fmt::format("{}: '{}' needs a single value", where, key));
      out.emplace_back(key, Scalar{entry.second.Scalar(), where});
    }
  }
}

class YamlWriter final : public PathVisitor {
 public:
  explicit YamlWriter(bool with_docs) : with_docs_(with_docs) {}
  std::string text;

  void field(const char* name, int& value, const char* doc, Bounds) override { line(name, std::to_string(value), doc); }
  void field(const char* name, std::uint64_t& value, const char* doc) override {
    line(name, std::to_string(value), doc);
  }
  void field(const char* name, double& value, const char* doc, Bounds) override {
    line(name, fmt::format("{}", value), doc);
  }
  void field(const char* name, bool& value, const char* doc) override { line(name, value ? "true" : "false", doc); }
  void field(const char* name, std::string& value, const char* doc, const std::vector<std::string>& choices) override {
    YAML::Emitter quoted;
    quoted << (value.empty() ? YAML::DoubleQuoted : YAML::Auto) << value;
    line(name, quoted.c_str(), choices.empty() ? doc : fmt::format("{} ({})", doc, fmt::join(choices, " | ")));
  }

 protected:
  void enter(const char* name, const char* doc) override {
    if (with_docs_) text += fmt::format("{:{}}# {}\n", "", depth_ * 2, doc);
    text += fmt::format("{:{}}{}:\n", "", depth_ * 2, name);
    ++depth_;
  }
  void leave() override { --depth_; }

 private:
  void line(const char* name, const std::string& value, const std::string& doc) {
    const std::string assignment = fmt::format("{:{}}{}: {}", "", depth_ * 2, name, value);
    text += with_docs_ ? fmt::format("{:<32} # {}\n", assignment, doc) : assignment + "\n";
  }
  bool with_docs_;
  int depth_ = 0;
};

class JsonWriter final : public PathVisitor {
 public:
  nlohmann::json root = nlohmann::json::object();
  void field(const char* name, int& value, const char*, Bounds) override { at(name) = value; }
  void field(const char* name, std::uint64_t& value, const char*) override { at(name) = value; }
  void field(const char* name, double& value, const char*, Bounds) override { at(name) = value; }
  void field(const char* name, bool& value, const char*) override { at(name) = value; }
  void field(const char* name, std::string& value, const char*, const std::vector<std::string>&) override {
    at(name) = value;
  }

 private:
  nlohmann::json& at(const char* name) {
    std::string pointer = "/" + key(name);
    std::replace(pointer.begin(), pointer.end(), '.', '/');
    return root[nlohmann::json::json_pointer(pointer)];
  }
};

void assign(const YAML::Node& node, const std::string& origin, const Visit& visit) {
  if (node.IsNull()) return;
  if (!node.IsMap()) throw ConfigError(fmt::format("{}: expected 'key: value' lines", origin));
  KeyLister known;
  visit(known);
  std::vector<std::pair<std::string, Scalar>> values;
  flatten(node, "", origin, known, values);
  Assigner assigner(std::move(values));
  visit(assigner);
}

}  // namespace

namespace config {

void load_yaml(std::string_view yaml, const std::string& origin, const Visit& visit) {
  YAML::Node node;
  try {
    node = YAML::Load(std::string(yaml));
  } catch (const YAML::Exception& e) {
    throw ConfigError(fmt::format("{}:{}: not valid YAML: {}", origin, e.mark.line + 1, e.msg));
  }
  assign(node, origin, visit);
}

void set(std::string_view assignment, const Visit& visit, std::string_view option) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw ConfigError(fmt::format("{} {}: expected key=value", option, assignment));
  }
  const std::string key(assignment.substr(0, equals));
  KeyLister known;
  visit(known);
  if (std::find(known.keys.begin(), known.keys.end(), key) == known.keys.end()) {
    throw ConfigError(fmt::format("{} {}: unknown key '{}'{}", option, assignment, key, hint(key, known.keys)));
  }
  Assigner assigner(
      {{key, Scalar{std::string(assignment.substr(equals + 1)), fmt::format("{} {}", option, assignment)}}});
  visit(assigner);
}

std::string to_yaml(const Visit& visit, bool with_docs) {
  YamlWriter writer(with_docs);
  visit(writer);
  return writer.text;
}

nlohmann::json to_json(const Visit& visit) {
  JsonWriter writer;
  visit(writer);
  return writer.root;
}

void from_json(const nlohmann::json& json, const std::string& origin, const Visit& visit) {
  // JSON is YAML, so one reader checks both.
  load_yaml(json.dump(), origin, visit);
}

}  // namespace config

}  // namespace quarto
