#include "cli/describe.h"

#include <algorithm>

namespace quarto {
namespace {

// "{a,b}" in the text of a type, as CLI::IsMember writes it.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return choices;
  for (std::size_t at = begin + 1; at < end;) {
    const std::size_t next = std::min(type.find(',', at), end);
    choices.push_back(type.substr(at, next - at));
    at = next + 1;
  }
  return choices;
}

// A plain text may be a path, and a shell's user expects file names where nothing else is known.
bool is_path(const std::string& type) {
  return type == "TEXT" || type.rfind("FILE", 0) == 0 || type.rfind("DIR", 0) == 0 || type.rfind("PATH", 0) == 0 ||
         type.rfind("CHECKPOINT", 0) == 0 || type.rfind("CONFIG", 0) == 0 || type.rfind("SUITE", 0) == 0;
}

OptionText describe(const CLI::Option& option) {
  OptionText text;
  if (option.nonpositional()) {
    for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  } else {
    text.positional = option.get_single_name();
  }
  if (option.get_items_expected_max() > 0) text.value = option.get_type_name();
  text.choices = choices_in(text.value);
  text.help = option.get_description();
  // A positional argument that is not one of a few words is nearly always a file.
  text.file = is_path(text.value) || (!text.positional.empty() && text.choices.empty());
  text.required = option.get_required();
  text.list = option.get_delimiter() == ',';
  return text;
}

CommandText describe(const CLI::App& app, const std::string& above) {
  CommandText text;
  text.name = above.empty() ? app.get_name() : above + " " + app.get_name();
  text.summary = app.get_description();
  text.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) text.options.push_back(describe(*option));
  }
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!sub->get_group().empty()) text.subcommands.push_back(describe(*sub, text.name));
  }
  return text;
}

}  // namespace

CommandText command_text(const CLI::App& app) { return describe(app, ""); }

}  // namespace quarto
