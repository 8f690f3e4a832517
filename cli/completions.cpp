#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "cli/describe.h"

namespace quarto {
namespace {

std::string last_word(const std::string& name) { return name.substr(name.rfind(' ') + 1); }

// Text between single quotes, for bash, zsh and fish alike.
std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c == '\n' ? ' ' : c);
  return out + "'";
}

// The first sentence is enough beside a word.
std::string brief(const std::string& help) {
  const std::size_t end = help.find_first_of("\n;(");
  std::string text = help.substr(0, end);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string words(const CommandText& command) {
  std::string out;
  for (const CommandText& sub : command.subcommands) out += last_word(sub.name) + " ";
  for (const OptionText& option : command.options) {
    if (!option.names.empty()) out += option.names.back() + " ";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  return fmt::format("{}", fmt::join(parts, between));
}

// One branch for each command: what may follow an option, and else the words.
void bash_cases(const CommandText& command, std::string& out) {
  out += fmt::format("    {})\n      case $previous in\n", shell_quoted(command.name));
  for (const OptionText& option : command.options) {
    if (option.names.empty() || option.value.empty()) continue;
    const std::string pattern = joined(option.names, "|");
    if (!option.choices.empty()) {
      out += fmt::format("        {}) words={}; {}return ;;\n", pattern, shell_quoted(joined(option.choices, " ")),
                         option.list ? "list=1; " : "");
    } else {
      out += fmt::format("        {}) files={}; return ;;\n", pattern, option.file ? 1 : 0);
    }
  }
  bool files = false;
  std::string choices;
  for (const OptionText& option : command.options) {
    if (option.positional.empty()) continue;
    files = files || option.file;
    if (!option.choices.empty()) choices += " " + joined(option.choices, " ");
  }
  out += fmt::format("      esac\n      words={}\n      files={}\n      ;;\n", shell_quoted(words(command) + choices),
                     files ? 1 : 0);
  for (const CommandText& sub : command.subcommands) bash_cases(sub, out);
}

void bash_names(const CommandText& command, std::string& out) {
  for (const CommandText& sub : command.subcommands) {
    out += (out.empty() ? "" : "|") + shell_quoted(sub.name);
    bash_names(sub, out);
  }
}

std::string bash(const CommandText& program) {
  std::string names, cases;
  bash_names(program, names);
  bash_cases(program, cases);
  return fmt::format(R"(# bash completion for {0}. To use it: source <({0} completions bash)
_{0}_find() {{
  case $command in
{2}  esac
}}
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} command={0} words='' files=0 list=0 before='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {1}) command+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  _{0}_find
  [ "$list" = 0 ] || before=${{current%"${{current##*,}}"}}
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$words" -- "${{current#"$before"}}")
  if [ "$files" = 1 ] && [[ $current != -* ]]; then
    compopt -o filenames 2> /dev/null
    local found
    while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -f -- "$current")
  fi
}}
complete -F _{0} {0}
)",
                     program.name, names.empty() ? "''" : names, cases);
}

std::string zsh_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string function_name(const std::string& name) {
  std::string out = "_" + name;
  for (char& c : out) {
    if (c == ' ' || c == '-') c = '_';
  }
  return out;
}

void zsh_functions(const CommandText& command, std::string& out) {
  for (const CommandText& sub : command.subcommands) zsh_functions(sub, out);
  out += function_name(command.name) + "() {\n";
  if (!command.subcommands.empty()) out += "  local curcontext=$curcontext state line\n";
  out += "  _arguments -C";
  const auto action = [](const OptionText& option) {
    if (!option.choices.empty()) return "(" + joined(option.choices, " ") + ")";
    return std::string(option.file ? "_files" : " ");
  };
  for (const OptionText& option : command.options) {
    const std::string help = zsh_escaped(brief(option.help));
    for (const std::string& name : option.names) {
      // "*": an option that may be repeated does no harm to one that may not; the program says so.
      std::string spec = fmt::format("*{}[{}]", name, help);
      if (!option.value.empty()) spec += fmt::format(":{}:{}", zsh_escaped(option.value), action(option));
      out += " \\\n    " + shell_quoted(spec);
    }
  }
  if (!command.subcommands.empty()) {
    out += " \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n    command)\n      local -a commands=(";
    for (const CommandText& sub : command.subcommands) {
      out += "\n        " + shell_quoted(last_word(sub.name) + ":" + zsh_escaped(brief(sub.summary)));
    }
    out += ")\n      _describe command commands ;;\n    rest)\n      case $line[1] in\n";
    for (const CommandText& sub : command.subcommands) {
      out += fmt::format("        {}) {} ;;\n", last_word(sub.name), function_name(sub.name));
    }
    out += "      esac ;;\n  esac\n";
  } else {
    for (const OptionText& option : command.options) {
      if (!option.positional.empty())
        out += " \\\n    " + shell_quoted("*:" + zsh_escaped(option.positional) + ":" + action(option));
      if (!option.positional.empty()) break;
    }
    out += "\n";
  }
  out += "}\n";
}

std::string zsh(const CommandText& program) {
  std::string out =
      fmt::format("#compdef {0}\n# zsh completion for {0}. To use it: {0} completions zsh > DIR/_{0}, DIR in $fpath\n",
                  program.name);
  zsh_functions(program, out);
  return out +
         fmt::format("if [ \"$funcstack[1]\" = _{0} ]; then _{0} \"$@\"; else compdef _{0} {0}; fi\n", program.name);
}

void fish_lines(const CommandText& program, const CommandText& command, std::string& out) {
  std::string seen;  // the condition: all words of this command were typed, none of those below
  for (std::size_t at = command.name.find(' '); at != std::string::npos; at = command.name.find(' ', at + 1)) {
    const std::size_t end = std::min(command.name.find(' ', at + 1), command.name.size());
    seen +=
        (seen.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + command.name.substr(at + 1, end - at - 1));
  }
  std::string below;
  for (const CommandText& sub : command.subcommands) below += " " + last_word(sub.name);
  std::string here = seen;
  if (!below.empty()) here += (seen.empty() ? "" : "; and ") + ("not __fish_seen_subcommand_from" + below);
  const std::string condition = here.empty() ? "" : " -n " + shell_quoted(here);
  for (const CommandText& sub : command.subcommands) {
    out += fmt::format("complete -c {}{} -f -a {} -d {}\n", program.name, condition, last_word(sub.name),
                       shell_quoted(brief(sub.summary)));
  }
  for (const OptionText& option : command.options) {
    if (option.names.empty()) {
      if (!option.choices.empty()) {
        out += fmt::format("complete -c {}{} -f -a {}\n", program.name, condition,
                           shell_quoted(joined(option.choices, " ")));
      }
      continue;
    }
    out += fmt::format("complete -c {}{}", program.name, condition);
    for (const std::string& name : option.names)
      out += name[1] == '-' ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.choices.empty()) {
      out += " -x -a " + shell_quoted(joined(option.choices, " "));
    } else if (!option.value.empty()) {
      out += option.file ? " -r -F" : " -x";
    }
    out += " -d " + shell_quoted(brief(option.help)) + "\n";
  }
  for (const CommandText& sub : command.subcommands) fish_lines(program, sub, out);
}

std::string fish(const CommandText& program) {
  std::string out =
      fmt::format("# fish completion for {0}. To use it: {0} completions fish > ~/.config/fish/completions/{0}.fish\n",
                  program.name);
  fish_lines(program, program, out);
  return out;
}

}  // namespace

std::string completions(const CommandText& program, const std::string& shell) {
  if (shell == "bash") return bash(program);
  if (shell == "zsh") return zsh(program);
  if (shell == "fish") return fish(program);
  throw std::invalid_argument("no completions for the shell '" + shell + "'");
}

}  // namespace quarto
