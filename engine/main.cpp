// quartozero-engine: the engine protocol over files of the light engine; a small program without LibTorch.
#include <fmt/format.h>

#include <iostream>
#include <string_view>

#include "base/file.h"
#include "base/tell.h"
#include "engine/engine.h"
#include "engine/program.h"
#include "light/load.h"

int main(int argc, char** argv) {
  quarto::fill_standard_streams();
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool unknown = first.starts_with("-") && first != "--help" && first != "-h" && first != "--version";
  if (unknown || argc > 2) {
    const std::string what = unknown ? fmt::format("'{}' is not an option", first)
                                     : fmt::format("'{}' is one argument too many: at most a network", argv[2]);
    quarto::tell(
        "quartozero-engine: error: {} (--help shows what is)\n{}", what,
        first == "--rules" ? "The rules are an option of the protocol: setoption name Rules value squares\n" : "");
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
    quarto::tell("quartozero-engine: error: {}\n", e.what());
    return 1;
  }
}
