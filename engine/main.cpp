// quartozero-engine: the engine protocol over files of the light engine; a small program without LibTorch.
#include <fmt/format.h>

#include <iostream>
#include <string_view>

#include "base/file.h"
#include "engine/engine.h"
#include "engine/program.h"
#include "light/load.h"

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc > 2 || (first.starts_with("-") && first != "--help" && first != "-h" && first != "--version")) {
    fmt::print(stderr, "{}", quarto::engine::program_help());
    return 2;
  }
  try {
    const bool help = first == "--help" || first == "-h";
    if (help || first == "--version") {
      fmt::print("{}", help ? quarto::engine::program_help() : "quartozero-engine " QUARTOZERO_VERSION "\n");
      quarto::require_output_written();
      return 0;
    }
    quarto::engine::Settings settings;
    settings.name = "quartozero " QUARTOZERO_VERSION;
    settings.network = first.empty() ? quarto::engine::default_network() : first;
    settings.load = quarto::load_light_network;
    std::ios::sync_with_stdio(false);
    quarto::engine::run(std::cin, std::cout, settings);
    quarto::require_output_written();
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "quartozero-engine: error: {}\n", e.what());
    return 1;
  }
}
