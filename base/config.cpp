#include "base/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/json_library.h"
#include "base/text.h"

namespace quarto::config {
namespace {

void flatten(const YAML::Node& node, const std::string& prefix, const std::string& origin, const Keys& known,
             std::vector<std::pair<std::string, Scalar>>& out) {
  for (const auto& entry : node) {
    if (!entry.first.IsScalar()) {
      throw ConfigError(fmt::format("{}:{}: a key must be a plain word", origin, entry.first.Mark().line + 1));
    }
    const std::string name = entry.first.Scalar();
    const std::string key = prefix.empty() ? name : prefix + "." + name;
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

constexpr std::size_t kMostBytes = std::size_t{64} << 10;

class YamlWriter final : public PathVisitor {
 public:
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
    text += fmt::format("{0:{1}}# {2}\n{0:{1}}{3}:\n", "", depth_ * 2, doc, name);
    ++depth_;
  }
  void leave() override { --depth_; }

 private:
  void line(const char* name, const std::string& value, const std::string& doc) {
    const std::string assignment = fmt::format("{:{}}{}: {}", "", depth_ * 2, name, value);
    text += fmt::format("{:<32} # {}\n", assignment, doc);
  }
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

// Where each document begins: lines from 1.
class DocumentLines final : public YAML::EventHandler {
 public:
  std::vector<int> lines;

  void OnDocumentStart(const YAML::Mark& mark) override { lines.push_back(mark.line + 1); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// The line of what comes after the first document, from 1, or 0. YAML::LoadAll would not return for some texts (", "):
// the parser takes nothing there, and finds one more document each time
// (https://github.com/jbeder/yaml-cpp/issues/1040).
int line_after_document(const std::string& yaml) {
  std::istringstream text(yaml);
  YAML::Parser parser(text);
  DocumentLines documents;
  return parser.HandleNextDocument(documents) && parser.HandleNextDocument(documents) ? documents.lines[1] : 0;
}

void assign_all(const YAML::Node& node, const std::string& origin, const Visit& visit) {
  if (node.IsNull()) return;
  if (!node.IsMap()) throw ConfigError(fmt::format("{}: expected 'key: value' lines", origin));
  std::vector<std::pair<std::string, Scalar>> values;
  flatten(node, "", origin, keys_of(visit), values);
  assign(std::move(values), visit);
}

}  // namespace

void load_yaml(std::string_view yaml, const std::string& origin, const Visit& visit) {
  // The parser takes hundreds of times the memory of a text, and more than a second for a megabyte.
  if (yaml.size() > kMostBytes)
    throw ConfigError(fmt::format("{}: {} bytes are too many for a configuration", origin, yaml.size()));
  const std::string text = plain_text(yaml);
  YAML::Node document;
  int line_after = 0;
  try {
    document = YAML::Load(text);
    line_after = line_after_document(text);
  } catch (const YAML::Exception& e) {
    throw ConfigError(fmt::format("{}:{}: not valid YAML: {}", origin, e.mark.line + 1, e.msg));
  }
  if (line_after > 0) {
    throw ConfigError(
        fmt::format("{}:{}: text after the end of the first YAML document: expected one document", origin, line_after));
  }
  assign_all(document, origin, visit);
}

std::string to_yaml(const Visit& visit) {
  YamlWriter writer;
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
