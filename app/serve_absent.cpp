// Stands in for the server in a build with QUARTO_HTTP=OFF.
#include <stdexcept>

#include "app/commands.h"

namespace quarto::app {

void add_serve(CLI::App& app) {
  CLI::App* command = app.add_subcommand("serve", "networks, search and exact values over HTTP (not in this build)");
  command->allow_extras();
  command->callback([] {
    throw std::runtime_error(
        "this build has no HTTP server: configure with -DQUARTO_HTTP=ON (needs libcpp-httplib-dev)");
  });
}

}  // namespace quarto::app
