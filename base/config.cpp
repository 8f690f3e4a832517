#include "base/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <vector>

#include "base/json_library.h"

namespace quarto::config {
namespace {

void flatten(const YAML::Node& node, const std::string& prefix, const std::string& origin, const Keys& known,
             std::vector<std::pair<std::string, Scalar>>& out) {
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) {
      throw ConfigError(fmt::format("{}:{}: a key must be a plain word", origin, entry.first.Mark().line + 1));
    }
    const std::string name = entry.first.Scalar();
    const std::string key = known.current(prefix.empty() ? name : prefix + "." + name);
    if (known.is_retired(key)) continue;
    const std::string where = fmt::format("{}:{}", origin, entry.first.Mark().line + 1);
    const bool is_section = known.has_section(key);
    if (!known.has_key(key) && !is_section) {
      throw ConfigError(fmt::format("{}: unknown key '{}'{}", where, key, known.hint(key)));
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

void assign_all(const YAML::Node& node, const std::string& origin, const Visit& visit) {
  if (node.IsNull()) return;
  if (!node.IsMap()) throw ConfigError(fmt::format("{}: expected 'key: value' lines", origin));
  std::vector<std::pair<std::string, Scalar>> values;
  flatten(node, "", origin, keys_of(visit), values);
  assign(std::move(values), visit);
}

}  // namespace

void load_yaml(std::string_view yaml, const std::string& origin, const Visit& visit) {
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(std::string(yaml));
  } catch (const YAML::Exception& e) {
    throw ConfigError(fmt::format("{}:{}: not valid YAML: {}", origin, e.mark.line + 1, e.msg));
  }
  if (documents.size() > 1) {
    throw ConfigError(
        fmt::format("{}:{}: a second YAML document begins: expected one", origin, documents[1].Mark().line + 1));
  }
  if (!documents.empty()) assign_all(documents[0], origin, visit);
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

}  // namespace quarto::config
