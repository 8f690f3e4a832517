// quartozero-engine: the engine protocol over files of the light engine; a small program without LibTorch.
#include <fmt/format.h>

#include <iostream>
#include <string_view>

#include "engine/engine.h"
#include "light/load.h"

namespace {

constexpr const char* kHelp =
    "usage: quartozero-engine [NETWORK.light | none]\n"
    "\n"
    "Plays Quarto over standard input and output by a line protocol in the spirit of UCI (docs/engine.md). Without an\n"
    "argument it uses the network checkpoints/zero, which comes with the program. A session:\n"
    "\n"
    "  uqi\n"
    "  position start moves 0 a1 7\n"
    "  go sims 200\n"
    "\n"
    "The three lines can be piped in. It ends with `quit`, or when its input ends.\n";

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc > 2 || (first.starts_with("-") && first != "--help" && first != "-h" && first != "--version")) {
    fmt::print(stderr, "{}", kHelp);
    return 2;
  }
  if (first == "--help" || first == "-h") {
    fmt::print("{}", kHelp);
    return 0;
  }
  if (first == "--version") {
    fmt::print("quartozero-engine {}\n", QUARTOZERO_VERSION);
    return 0;
  }
  try {
    quarto::engine::Settings settings;
    settings.name = "quartozero " QUARTOZERO_VERSION;
    settings.network = first.empty() ? quarto::engine::default_network() : first;
    settings.load = quarto::load_light_network;
    std::ios::sync_with_stdio(false);
    quarto::engine::run(std::cin, std::cout, settings);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "quartozero-engine: error: {}\n", e.what());
    return 1;
  }
}
