// quartozero-engine: the engine protocol over light files; a small program without LibTorch.
#include <fmt/format.h>

#include <iostream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/program.h"
#include "base/tell.h"
#include "engine/engine.h"
#include "engine/program.h"
#include "light/load.h"

int main(int argc, char** argv) {
  quarto::prepare_standard_streams();
  try {
    const std::vector<std::string> arguments = quarto::program_arguments(argc, argv);
    const std::string first = arguments.empty() ? "" : arguments[0];
    const bool unknown = first.starts_with("-") && first != "--help" && first != "-h" && first != "--version";
    if (unknown || arguments.size() > 1) {
      const std::string what = unknown ? fmt::format("'{}' is not an option", first)
                                       : fmt::format("'{}' is one argument too many: at most a network", arguments[1]);
      quarto::tell(
          "quartozero-engine: error: {} (--help shows what is)\n{}", what,
          first == "--rules" ? "The rules are an option of the protocol: setoption name Rules value squares\n" : "");
      return 2;
    }
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
