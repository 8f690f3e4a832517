// quartozero-serve: the server as a program without LibTorch. It serves light files;
// `quartozero serve` serves checkpoints too.
#include <fmt/format.h>

#include <csignal>
#include <exception>

#include "base/file.h"
#include "base/printable.h"
#include "base/program.h"
#include "base/tell.h"
#include "cli/whole_numbers.h"
#include "light/load.h"
#include "serve/command.h"

namespace {
std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
}  // namespace

int main(int argc, char** argv) {
  quarto::prepare_standard_streams();
  CLI::App app;
  quarto::serve::CommandOptions options;
  quarto::serve::describe_program(app, options);
  quarto::require_whole_numbers(app);
  try {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
      if (app.exit(e) != 0) return 2;  // else --help or --version
      quarto::require_output_written();
      return 0;
    }
    const auto handler = [](int signal) {
      stop = true;
      std::signal(signal, SIG_DFL);  // a second signal kills
    };
    std::signal(SIGINT, handler);
    std::signal(SIGTERM, handler);
    quarto::serve::run(options, quarto::load_light_network, stop);
    quarto::require_output_written();
    return 0;
  } catch (const std::exception& e) {
    quarto::tell("quartozero-serve: error: {}\n", quarto::without_control_characters(e.what()));
    return 1;
  }
}
