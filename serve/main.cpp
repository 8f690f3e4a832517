// quartozero-serve: the server as a program without LibTorch. It serves the light engine's files. `quartozero serve`
// serves checkpoints too.
#include <fmt/format.h>

#include <csignal>
#include <exception>

#include "light/load.h"
#include "serve/command.h"

namespace {
std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
}  // namespace

int main(int argc, char** argv) {
  CLI::App app("quartozero-serve: networks, search and exact values of Quarto over HTTP");
  app.name("quartozero-serve");
  app.set_version_flag("--version", QUARTOZERO_VERSION);
  app.footer(quarto::serve::examples("quartozero-serve"));
  quarto::serve::CommandOptions options;
  quarto::serve::add_options(app, options);
  try {
    app.parse(argc, argv);
    const auto handler = [](int signal) {
      stop = true;
      std::signal(signal, SIG_DFL);  // a second signal kills
    };
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
    quarto::serve::run(options, quarto::load_light_network, stop);
    return 0;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "quartozero-serve: error: {}\n", e.what());
    return 1;
  }
}
