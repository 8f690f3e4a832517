#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "app/commands.h"

int main(int argc, char** argv) {
  CLI::App app{"quarto: learns Quarto by self-play, and measures what it learned against exact play"};
  app.name("quarto");
  app.require_subcommand(1);
  app.set_version_flag("--version", QUARTO_VERSION);
  app.footer(
      "Examples:\n"
      "  quarto solve \"..../2F.A/E9../.8B3 -\" --moves\n"
      "\n"
      "quarto SUBCOMMAND --help explains each subcommand.");
  quarto::app::add_all(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : 2;
  } catch (const quarto::app::Failed& e) {
    if (*e.what() != '\0') fmt::print(stderr, "{}\n", e.what());
    return 1;
  } catch (const std::exception& e) {
    std::fflush(stdout);
    fmt::print(stderr, "quarto: error: {}\n", e.what());
    return 1;
  }
}
