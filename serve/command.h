// The options of `quarto serve`, and running a server by them until it is told to stop.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "light/network_file.h"
#include "serve/http.h"

namespace quarto::serve {

struct CommandOptions {
  std::vector<std::string> networks{};  // NAME=PATH, or PATH
  std::string host = "127.0.0.1", web{}, allow_origin{};
  std::vector<std::string> allow_hosts{};
  int port = 8080, threads = 1, connections = 128;
  std::size_t queue = 64;
  Limits limits{};
  bool log = false;
};

// Loads what `path` names; the name is the caller's business. Throws what says that it cannot.
using LoadNetwork = std::function<ServedNetwork(const std::filesystem::path& path)>;

void add_options(CLI::App& command, CommandOptions& options);
// Examples, for the help; `program` is how the command is called.
std::string examples(const std::string& program);

// What a Host header may name (ServiceOptions::hosts). Throws std::invalid_argument.
std::vector<std::string> hosts_of(const CommandOptions& options);

// Serves until `stop`. Says on standard output where, as soon as it listens.
void run(const CommandOptions& options, const LoadNetwork& load, const std::atomic<bool>& stop);

// Of the light engine's files (light/network_file.h), for builds without LibTorch.
ServedNetwork load_light_network(const std::filesystem::path& path);
// For GET networks: what a light file says of itself.
std::map<std::string, std::string> describe(const light::NetworkInfo& info);

}  // namespace quarto::serve
