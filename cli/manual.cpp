#include <fmt/format.h>

#include <algorithm>

#include "cli/describe.h"

namespace quarto {
namespace {

std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    // A line that begins with one of these would be a request.
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string page_name(const std::string& command) {
  std::string out = command;
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

void term(const OptionText& option, std::string& out) {
  out += ".TP\n";
  if (option.names.empty()) {
    out += "\\fI" + roff(option.positional) + "\\fR";
  } else {
    for (std::size_t i = 0; i < option.names.size(); ++i) {
      out += (i == 0 ? "\\fB" : ", \\fB") + roff(option.names[i]) + "\\fR";
    }
  }
  if (!option.value.empty()) out += " \\fI" + roff(option.value) + "\\fR";
  out += (option.required ? std::string(" (required)") : std::string()) + "\n" +
         roff(option.help.empty() ? "(no description)" : option.help) + "\n";
}

}  // namespace

std::string manual_page(const CommandText& command, const std::string& version, const CommandText* subcommand) {
  const std::string name = page_name(command.name);
  std::string out =
      fmt::format(".TH {} 1 \"\" \"quartozero {}\" \"quartozero\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n",
                  upper(roff(name)), version, roff(name), roff(command.summary), roff(command.name));
  if (!command.subcommands.empty()) out += "\\fICOMMAND\\fR ";
  out += "[\\fIOPTIONS\\fR]";
  for (const OptionText& option : command.options) {
    if (!option.positional.empty())
      out += fmt::format(" {0}\\fI{2}\\fR{1}", option.required ? "" : "[", option.required ? "" : "]",
                         roff(option.positional));
  }
  out += "\n";
  if (!command.subcommands.empty()) {
    out += ".SH COMMANDS\n";
    for (const CommandText& sub : command.subcommands) {
      out += ".TP\n\\fB" + roff(sub.name) + "\\fR\n" + roff(sub.summary) + "\n";
    }
  }
  out += ".SH OPTIONS\n";
  for (const OptionText& option : command.options) term(option, out);
  if (subcommand) {
    out += fmt::format(
        ".SH THE SUBCOMMAND\n\\fB{}\\fR does the same with checkpoints too. It has no \\fB\\-\\-version\\fR, and "
        "also:\n",
        roff(subcommand->name));
    for (const OptionText& option : subcommand->options) {
      const bool common =
          option.names.empty() ||
          std::any_of(command.options.begin(), command.options.end(), [&](const OptionText& own) {
            return std::find(own.names.begin(), own.names.end(), option.names.back()) != own.names.end();
          });
      if (!common) term(option, out);
    }
  }
  // Footers are laid out by hand: notes, then lines of examples.
  if (!command.footer.empty()) out += ".SH NOTES AND EXAMPLES\n.nf\n" + roff(command.footer) + "\n.fi\n";
  out +=
      ".SH EXIT STATUS\n0 on success, 1 when something failed, 2 when the command line was wrong.\n"
      ".SH FILES\nWhat is called \\fIdocs/\\fR here is in share/doc/quartozero below the installation's prefix, and "
      "\\fIconfigs/\\fR, \\fIcheckpoints/\\fR and \\fIeval/suites/\\fR are in share/quartozero.\n.SH SEE ALSO\n";
  const std::size_t above = command.name.rfind(' ');
  std::string also;
  if (above != std::string::npos) also = page_name(command.name.substr(0, above));
  for (const CommandText& sub : command.subcommands) also += (also.empty() ? "" : "|") + page_name(sub.name);
  if (also.empty()) also = "quartozero";
  for (std::size_t at = 0; at <= also.size();) {
    const std::size_t end = std::min(also.find('|', at), also.size());
    out += fmt::format(".BR {} (1){}\n", roff(also.substr(at, end - at)), end < also.size() ? "," : "");
    at = end + 1;
  }
  return out;
}

}  // namespace quarto
