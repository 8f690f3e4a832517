// The options of `quartozero serve`, and the function that runs the server.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "env/network_loader.h"
#include "serve/http.h"

namespace quarto::serve {

struct CommandOptions {
  std::vector<std::string> networks{};  // NAME=PATH, or PATH
  std::string host = "127.0.0.1", web{}, allow_origin{};
  std::vector<std::string> allow_hosts{};
  int port = 8080, connections = 128;
  std::optional<int> threads{};     // without: computing_threads()
  std::optional<int> per_client{};  // connections; without: connections_per_client()
  std::size_t queue = 64;
  Limits limits{};
  bool log = false;
};

void add_options(CLI::App& command, CommandOptions& options);
// --threads, or one for each core, but fewer where their tables would take more than half of `memory` bytes (nullopt:
// it is not known). At least one. Throws std::invalid_argument if the tables of so many, or of one, do not fit.
int computing_threads(const CommandOptions& options, int cores, std::optional<std::size_t> memory);
// The command line of the program quartozero-serve: its name, options and help.
void describe_program(CLI::App& app, CommandOptions& options);
// The help's footer. `program` is the command as the user types it.
std::string examples(const std::string& program);

// The permitted Host headers (ServiceOptions::hosts). Throws std::invalid_argument.
std::vector<std::string> hosts_of(const CommandOptions& options);

// The number without one on the command line: enough for a browser's pages, and no limit where only this machine can
// connect.
int connections_per_client(const CommandOptions& options);

// What another part adds to the server.
struct Additions {
  std::vector<Branch> branches{};
  std::shared_ptr<NetworkSource> networks{};
  std::function<std::string(const std::string& url)> said{};  // lines that are printed after the server's URL
};

// Serves until `stop` is set. Prints the URL on standard output once it listens.
void run(const CommandOptions& options, const NetworkLoader& load, const std::atomic<bool>& stop,
         Additions additions = {});

}  // namespace quarto::serve
