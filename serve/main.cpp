// quarto-serve: the server alone, for builds without LibTorch. It serves the light engine's files; `quarto serve` is
// the same with checkpoints as well.
#include <fmt/format.h>

#include <csignal>
#include <exception>

#include "serve/command.h"

namespace {
std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "it is set in a signal handler");
}  // namespace

int main(int argc, char** argv) {
  CLI::App app("quarto-serve: networks, search and exact values of Quarto over HTTP");
  app.name("quarto-serve");
  app.set_version_flag("--version", QUARTO_VERSION);
  app.footer(quarto::serve::examples("quarto-serve"));
  quarto::serve::CommandOptions options;
  quarto::serve::add_options(app, options);
  try {
    app.parse(argc, argv);
    const auto handler = [](int signal) {
      stop = true;
      std::signal(signal, SIG_DFL);  // the second one kills
    };
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
    quarto::serve::run(options, quarto::serve::load_light_network, stop);
    return 0;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "quarto-serve: error: {}\n", e.what());
    return 1;
  }
}
