// quartozero completions, quartozero manual: what an installation puts beside the program.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"
#include "base/file.h"
#include "cli/describe.h"
#include "engine/program.h"
#include "serve/command.h"

namespace quarto::app {
namespace {

// The programs beside this one whose names are those of subcommands' pages.
std::vector<CommandText> programs() {
  CLI::App server;
  serve::CommandOptions options;
  serve::describe_program(server, options);
  CommandText serve = command_text(server);
  // The name stands before it on the page.
  serve.summary.erase(0, serve.summary.find(": ") + 2);

  CommandText engine;
  engine.name = "quartozero-engine";
  engine.summary = engine::kProgramSummary;
  engine.footer = engine::kProgramNotes;
  for (const engine::ProgramArgument& argument : engine::kProgramArguments) {
    OptionText option;
    option.help = argument.help;
    const std::string name(argument.name);
    if (name.starts_with("-")) {
      option.names = {name};
    } else {
      option.positional = name;
    }
    engine.options.push_back(option);
  }
  return {serve, engine};
}

int write_pages(const CommandText& command, const std::vector<CommandText>& programs,
                const std::filesystem::path& folder) {
  std::string file = command.name;
  for (char& c : file) {
    if (c == ' ') c = '-';
  }
  const auto program =
      std::find_if(programs.begin(), programs.end(), [&](const CommandText& p) { return p.name == file; });
  write_file_atomic(folder / (file + ".1"), program == programs.end()
                                                ? manual_page(command, QUARTOZERO_VERSION)
                                                : manual_page(*program, QUARTOZERO_VERSION, &command));
  int pages = 1;
  for (const CommandText& sub : command.subcommands) pages += write_pages(sub, programs, folder);
  return pages;
}

}  // namespace

void add_completions(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completions", "print a script with which a shell completes this command");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  add_idle_seed(*command);
  command->footer(
      "Examples:\n"
      "  source <(quartozero completions bash)                                            in ~/.bashrc\n"
      "  quartozero completions zsh > ~/.zfunc/_quartozero                                with fpath+=~/.zfunc in "
      "~/.zshrc\n"
      "  quartozero completions fish > ~/.config/fish/completions/quartozero.fish");
  command->callback([&app, shell] { fmt::print("{}", completions(command_text(app), *shell)); });
}

void add_manual(CLI::App& app) {
  CLI::App* command = app.add_subcommand("manual", "write the manual pages, one for each command");
  auto folder = std::make_shared<std::string>();
  command->add_option("--out", *folder, "folder to write them to; made if missing")->required()->type_name("DIR");
  add_idle_seed(*command);
  command->footer("Example:\n  quartozero manual --out ~/.local/share/man/man1 && man quartozero-train");
  command->callback([&app, folder] {
    std::filesystem::create_directories(*folder);
    const int pages = write_pages(command_text(app), programs(), *folder);
    fmt::print("{}: {} pages; man -l {}\n", *folder, pages, (std::filesystem::path(*folder) / "quartozero.1").string());
  });
}

}  // namespace quarto::app
