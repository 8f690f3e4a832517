// What a command line offers, as data: completions for shells and manual pages are made from it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace quarto {

struct OptionText {
  std::vector<std::string> names;  // "-h", "--help"; empty if it is positional
  std::string positional;          // its name in the usage line
  std::string value;               // "FILE", "N:INT in [1 - 1024]"; empty for a flag
  std::vector<std::string> choices;
  std::string help;
  bool file = false;  // a path: completed by file names
  bool required = false;
  bool list = false;  // values joined by commas
};

struct CommandText {
  std::string name;  // "quartozero", "quartozero train", "quartozero book build"
  std::string summary;
  std::string footer;
  std::vector<OptionText> options;
  std::vector<CommandText> subcommands;
};

// The command and all below it, in the order of --help.
CommandText command_text(const CLI::App& app);

// A script for that shell, "bash", "zsh" or "fish": subcommands, options, choices, files.
std::string completions(const CommandText& program, const std::string& shell);

// A manual page in roff (man(7)) for this command alone; `version` stands at its foot. With `subcommand`, the command
// is a program, whose page also says what this subcommand of quartozero has beyond it: `quartozero-serve` and
// `quartozero serve` would have pages of one name.
std::string manual_page(const CommandText& command, const std::string& version,
                        const CommandText* subcommand = nullptr);

}  // namespace quarto
