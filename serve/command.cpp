#include "serve/command.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "base/cores.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/option_limits.h"
#include "base/progress.h"
#include "base/tell.h"
#include "cli/finite_range.h"
#include "light/weights.h"
#include "play/shipped_networks.h"
#include "play/think.h"
#include "serve/host.h"

namespace quarto::serve {
namespace {

// Splits NAME=PATH. Without a name it is derived from the path: "checkpoints/zero" and "checkpoints/zero/model.light"
// are called "zero".
std::pair<std::string, std::filesystem::path> name_and_path(const std::string& text) {
  const auto equals = text.find('=');
  if (equals != std::string::npos) return {text.substr(0, equals), text.substr(equals + 1)};
  std::filesystem::path path = text.substr(text.starts_with(kTorchScript) ? kTorchScript.size() : 0);
  if (!path.has_filename()) path = path.parent_path();
  // "lr-0.1" is a folder's whole name.
  const std::string extension = path.extension().string();
  std::string name =
      (extension == ".light" || extension == ".safetensors" || extension == ".pt" ? path.stem() : path.filename())
          .string();
  if (name == "model" && path.has_parent_path()) name = path.parent_path().filename().string();
  return {name, text};
}

}  // namespace

std::vector<std::string> hosts_of(const CommandOptions& o) {
  if (o.host.empty()) throw std::invalid_argument("--host: empty; 0.0.0.0 means all addresses of this machine");
  // On a public address the server cannot know its own names: any Host is accepted.
  if (!is_loopback(o.host) && o.allow_hosts.empty()) return {};
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "[::1]", normal_host(o.host)};
  for (const std::string& text : o.allow_hosts) {
    hosts.push_back(normal_host(text));
    if (hosts.back().empty()) throw std::invalid_argument(fmt::format("--allow-host: '{}' names no host", text));
  }
  return hosts;
}

void add_options(CLI::App& command, CommandOptions& o) {
  command
      .add_option(
          "--net", o.networks,
          "a network and its name in requests (by default that of its folder); may be repeated; the first is the "
          "default network. Without this option: the networks that come with the program")
      ->type_name("[NAME=]PATH")
      ->take_all();
  command.add_option("--host", o.host, "address to listen on; 0.0.0.0: all addresses of this machine")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command.add_option("--port", o.port, "0: any free port")->check(CLI::Range(0, 65535))->capture_default_str();
  command.add_option("--web", o.web, "also serve the files of this folder; they are read once, at the start")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command
      .add_option("--threads", o.threads,
                  "computing threads; of several, one takes no jobs (default: one for each core, but fewer if their "
                  "tables take more than half of the memory)")
      ->check(CLI::Range(1, kMostThreads));
  command
      .add_option("--queue", o.queue, "requests, and as many jobs, that may wait for a thread; further ones get 503")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command.add_option("--connections", o.connections, "open at the same time; further ones get 503")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command
      .add_option("--per-client", o.per_client,
                  "connections from one address; 0: no limit (default: 32, and no limit if --host is a loopback "
                  "address; behind a proxy all clients have its address)")
      ->check(CLI::Range(0, 10'000));
  command.add_option("--max-simulations", o.limits.simulations, "limit of one search")
      ->check(CLI::Range(1, kMostSimulations))
      ->capture_default_str();
  command.add_option("--max-seconds", o.limits.seconds, "limit of the computation of one request")
      ->check(FiniteRange(0.01, 3600.0))
      ->capture_default_str();
  command.add_option("--max-job-seconds", o.limits.job_seconds, "limit of the computation of one job")
      ->check(FiniteRange(0.01, 86400.0))
      ->capture_default_str();
  command.add_option("--max-positions", o.limits.positions, "limit of one evaluation")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command.add_option("--max-body", o.limits.body_bytes, "limit of a request's body, in bytes")
      ->check(CLI::Range(1024, 16 << 20))
      ->capture_default_str();
  command.add_option("--table-mb", o.limits.table_mib, "the exact solver's table, for each thread")
      ->type_name("MB")
      ->check(CLI::Range(1, kMostTableMb))
      ->capture_default_str();
  command
      .add_option("--allow-origin", o.allow_origin,
                  "allow web pages of this origin to use the server (Access-Control-Allow-Origin); *: any origin")
      ->type_name("ORIGIN");
  command
      .add_option(
          "--allow-host", o.allow_hosts,
          "accept this name in Host headers, besides those of loopback and --host; may be repeated. Without it any "
          "name is accepted, unless --host is a loopback address")
      ->type_name("NAME")
      ->take_all();
  command.add_flag("--log", o.log, "write a line for each request to standard error");
}

std::string examples(const std::string& program) {
  return fmt::format(
      "By default only this machine can connect. docs/http.md describes every request, with examples.\n"
      "\n"
      "Examples:\n"
      "  {0}\n"
      "  {0} --net zero=checkpoints/zero --net night=runs/night/best --web DIR --port 8080\n"
      "  curl -s localhost:8080/api/v1/move -H 'Content-Type: application/json' \\\n"
      "    -d '{{\"position\": \"..../2F.A/E9../.8B3 -\", \"simulations\": 400}}'",
      program);
}

void describe_program(CLI::App& app, CommandOptions& options) {
  app.name("quartozero-serve");
  app.description("quartozero-serve: networks, search and exact values of Quarto over HTTP");
  app.set_version_flag("--version", QUARTOZERO_VERSION);
  app.footer(examples("quartozero-serve"));
  add_options(app, options);
}

int connections_per_client(const CommandOptions& o) {
  constexpr int kUsual = 32;
  return o.per_client.value_or(is_loopback(o.host) ? 0 : kUsual);
}

int computing_threads(const CommandOptions& o, int cores, std::optional<std::size_t> memory) {
  const std::size_t table = static_cast<std::size_t>(o.limits.table_mib) << 20;
  int threads = o.threads.value_or(std::min(cores, kMostThreads));
  if (!o.threads && memory)
    threads = static_cast<int>(std::clamp<std::size_t>(*memory / 2 / table, 1, static_cast<std::size_t>(threads)));
  // Threads make their tables when they first need them: say now that there will be no room.
  const std::size_t tables = static_cast<std::size_t>(threads) * table;
  if (memory && tables > *memory) {
    throw std::invalid_argument(fmt::format("{} with --table-mb {} each need {} MB, and {} MB of memory are available",
                                            counted(static_cast<std::uint64_t>(threads), "thread"), o.limits.table_mib,
                                            tables >> 20, *memory >> 20));
  }
  return threads;
}

void run(const CommandOptions& o, const NetworkLoader& load, const std::atomic<bool>& stop, Additions additions) {
  if (!o.allow_origin.empty() && o.allow_origin.find_first_of("\r\n") != std::string::npos)
    throw std::invalid_argument("--allow-origin: not an origin");
  const std::vector<std::string> hosts = hosts_of(o);
  std::vector<ServedNetwork> networks;
  for (const std::string& text : o.networks) {
    const auto [name, path] = name_and_path(text);
    networks.push_back({load(path), name});
  }
  if (o.networks.empty()) {
    for (const auto& [name, rules] : kShippedNetworks) {
      if (const auto path = shipped_network(name)) networks.push_back({load(*path), std::string(name)});
    }
  }
  const auto memory = system_memory();
  const int threads = computing_threads(o, usable_cores(), memory ? std::optional(memory->available) : std::nullopt);
  Site site;
  if (!o.web.empty()) site = Site(o.web);

  // Each connection takes a file descriptor.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  Service service(std::move(networks), std::move(site),
                  {.limits = o.limits,
                   .threads = threads,
                   .queue = o.queue,
                   .hosts = hosts,
                   .allow_origin = o.allow_origin,
                   .version = QUARTOZERO_VERSION,
                   .branches = std::move(additions.branches),
                   .more_networks = std::move(additions.networks)});
  HttpServer server(service, {.host = o.host,
                              .port = o.port,
                              .connections = o.connections,
                              .per_client = connections_per_client(o),
                              .limits = {.body_bytes = o.limits.body_bytes},
                              .log = o.log});
  server.start();
  fmt::print("listening on {}\n", server.url());
  std::string names;
  for (const std::string& name : service.catalogue().names()) {
    if (name != kNoNetwork) names += (names.empty() ? "" : ", ") + name;
  }
  if (additions.said) fmt::print("{}", additions.said(server.url()));
  fmt::print("networks: {}\n", names.empty() ? "none (see --net); searches use the uniform evaluator" : names);
  fmt::print("computing threads: {}\n", threads);
  require_output_written();
  if (!is_loopback(o.host)) {
    tell(
        "quartozero: warning: listening on {}: other machines can connect, without a password and without "
        "encryption; use a reverse proxy for both\n",
        o.host);
  }
  while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  fmt::print("stopping\n");
  server.stop();
}

}  // namespace quarto::serve
