// quartozero completions, quartozero manual: what an installation puts beside the program.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "app/commands.h"
#include "app/describe.h"
#include "base/file.h"

namespace quarto::app {
namespace {

int write_pages(const CommandText& command, const std::filesystem::path& folder) {
  std::string file = command.name;
  for (char& c : file) {
    if (c == ' ') c = '-';
  }
  write_file_atomic(folder / (file + ".1"), manual_page(command, QUARTOZERO_VERSION));
  int pages = 1;
  for (const CommandText& sub : command.subcommands) pages += write_pages(sub, folder);
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
  command->callback([&app, shell] { fmt::print("{}", completions(describe(app), *shell)); });
}

void add_manual(CLI::App& app) {
  CLI::App* command = app.add_subcommand("manual", "write the manual pages, one for each command");
  auto folder = std::make_shared<std::string>();
  command->add_option("--out", *folder, "folder to write them to; made if missing")->required()->type_name("DIR");
  add_idle_seed(*command);
  command->footer("Example:\n  quartozero manual --out ~/.local/share/man/man1 && man quartozero-train");
  command->callback([&app, folder] {
    std::filesystem::create_directories(*folder);
    const int pages = write_pages(describe(app), *folder);
    fmt::print("{}: {} pages; man -l {}\n", *folder, pages, (std::filesystem::path(*folder) / "quartozero.1").string());
  });
}

}  // namespace quarto::app
