#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/program.h"
#include "base/tell.h"
#include "store/url.h"

namespace {

// OpenMP's threads spin while they wait for each other. If another process runs on the machine, a learning step with
// two threads then takes several times longer (docs/training.md). OpenMP reads the setting when it is loaded, with
// LibTorch. A value set by the user is kept.
void wait_without_spinning(int argc, char** argv) {
  if (argc < 2) return;
  const std::string_view command = argv[1];
  if (command != "train" && command != "distill" && command != "bench") return;
  ::setenv("OMP_WAIT_POLICY", "passive", 0);
}

// The subcommands that were recognised, from the program down to the last one.
const CLI::App& last_parsed(const CLI::App& app) {
  const std::vector<CLI::App*> parsed = app.get_subcommands();
  return parsed.empty() ? app : last_parsed(*parsed.front());
}

// What was probably meant by the argument that the parser refused, or "": the parser's own messages name no candidates,
// and for a misspelled subcommand not even the word.
std::string explain(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App& at = last_parsed(app);
  std::vector<std::string> commands, options;
  for (const CLI::App* s : at.get_subcommands([](const CLI::App*) { return true; })) commands.push_back(s->get_name());
  for (const CLI::Option* o : at.get_options()) {
    for (const std::string& name : o->get_lnames()) options.push_back(name);
  }
  for (const std::string& argument : arguments) {
    const std::string word = argument.substr(0, argument.find('='));
    if (word.rfind("--", 0) == 0) {
      const std::string close = quarto::nearest(word.substr(2), options);
      if (close == word.substr(2)) continue;
      std::string hint;
      if (!close.empty())
        hint = fmt::format("; did you mean '--{}'?", close);
      else if (std::find(options.begin(), options.end(), "set") != options.end())
        hint = "; the configuration's keys are set by --set SECTION.KEY=VALUE";
      return fmt::format("unknown option '{}'{}\n", word, hint);
    }
    if (!commands.empty() && word.rfind('-', 0) != 0) {
      std::vector<std::string> candidates = commands;
      if (&at == &app && word != "help") candidates.emplace_back("help");
      const std::string close = quarto::nearest(word, candidates);
      return fmt::format("unknown subcommand '{}'{}\n", word,
                         close.empty() ? "" : fmt::format("; did you mean '{}'?", close));
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  quarto::prepare_standard_streams();
  wait_without_spinning(argc, argv);
  quarto::store::hide_store_passwords(argc, argv);
  CLI::App app{"quartozero: learns Quarto by self-play, and measures what it learned against exact play"};
  app.name("quartozero");
  app.require_subcommand(1);
  app.set_version_flag("--version", QUARTOZERO_VERSION);
  app.footer(
      "Examples:\n"
      "  quartozero train configs/demo.yaml --out runs/demo          learn for two minutes\n"
      "  quartozero eval runs/demo/best                              how close to perfect play is it?\n"
      "  quartozero play --opponent net:runs/demo/best@64            play against it\n"
      "  quartozero solve \"..../2F.A/E9../.8B3 -\" --moves            exact values\n"
      "\n"
      "quartozero SUBCOMMAND --help, or quartozero help SUBCOMMAND, explains each subcommand.");
  quarto::app::add_all(app);
  std::vector<char*> arguments(argv, argv + argc);
  char help[] = "--help";
  if (argc > 1 && std::string_view(argv[1]) == "help") {  // quartozero help [SUBCOMMAND]...
    const auto no_word = [](const char* argument) { return *argument == '-' || std::string_view(argument) == "help"; };
    arguments.erase(std::remove_if(arguments.begin() + 1, arguments.end(), no_word), arguments.end());
    arguments.push_back(help);
  }
  try {
    try {
      app.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const CLI::ParseError& e) {
      // --help of a misspelled subcommand is not that of the program.
      const bool asked = e.get_exit_code() == 0;  // for --help or --version
      const bool complete = last_parsed(app).get_subcommands([](const CLI::App*) { return true; }).empty();
      const std::string mistake = asked && complete ? "" : explain(app, app.remaining(true));
      quarto::tell("{}", mistake);
      // The parser would only say that a subcommand is required, or name all that it did not understand.
      if (!mistake.empty() && (!complete || dynamic_cast<const CLI::ExtrasError*>(&e))) {
        quarto::tell("Run with --help for more information.\n");
        return 2;
      }
      if (asked && !mistake.empty()) return 2;
      if (app.exit(e) != 0) return 2;
    }
    quarto::require_output_written();
    return 0;
  } catch (const quarto::app::Failed& e) {
    if (*e.what() != '\0') quarto::tell("{}\n", quarto::without_control_characters(e.what()));
    return 1;
  } catch (const std::filesystem::filesystem_error& e) {
    std::fflush(stdout);
    if (e.path1().empty() || !e.path2().empty()) {
      quarto::tell("quartozero: error: {}\n", quarto::without_control_characters(e.what()));
    } else {
      quarto::tell("quartozero: error: '{}': {}\n", quarto::without_control_characters(e.path1().string()),
                   e.code().message());
    }
    return 1;
  } catch (const std::exception& e) {
    std::fflush(stdout);
    quarto::tell("quartozero: error: {}\n", quarto::without_control_characters(e.what()));
    return 1;
  }
}
