#include "serve/command.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>

#include "base/cores.h"
#include "base/shipped.h"
#include "embed/think.h"
#include "light/evaluator.h"
#include "light/network_file.h"
#include "serve/host.h"

namespace quarto::serve {
namespace {

// "zero=checkpoints/zero", or "checkpoints/zero" and "checkpoints/zero/model.light", which are called zero as well.
std::pair<std::string, std::filesystem::path> name_and_path(const std::string& text) {
  const auto equals = text.find('=');
  if (equals != std::string::npos) return {text.substr(0, equals), text.substr(equals + 1)};
  std::filesystem::path path = text;
  if (!path.has_filename()) path = path.parent_path();
  std::string name = path.stem().string();
  if (name == "model" && path.has_parent_path()) name = path.parent_path().filename().string();
  return {name, text};
}

}  // namespace

std::vector<std::string> hosts_of(const CommandOptions& o) {
  if (o.host.empty()) throw std::invalid_argument("--host: empty; 0.0.0.0 means all of this machine's addresses");
  // Whoever listens to the world knows best by what names he can be reached.
  if (!is_loopback(o.host) && o.allow_hosts.empty()) return {};
  std::vector<std::string> hosts = {"localhost", "127.0.0.1", "[::1]", normal_host(o.host)};
  for (const std::string& text : o.allow_hosts) {
    hosts.push_back(normal_host(text));
    if (hosts.back().empty()) throw std::invalid_argument(fmt::format("--allow-host: '{}' names no host", text));
  }
  return hosts;
}

std::map<std::string, std::string> describe(const light::NetworkInfo& info) {
  std::map<std::string, std::string> about = info.extra;
  about["network"] = fmt::format("pairs, width {}, {} blocks", info.shape.width, info.shape.blocks);
  about["precision"] = light::to_string(info.precision);
  about["track"] = info.track;
  about["step"] = std::to_string(info.step);
  return about;
}

ServedNetwork load_light_network(const std::filesystem::path& path) {
  const bool folder = std::filesystem::is_directory(path);
  light::LightNetwork network = light::load_network_file(folder ? path / "model.light" : path);
  return {"", std::make_shared<PairsEvaluator>(std::move(network.kernel)), network.info.rules, describe(network.info)};
}

void add_options(CLI::App& command, CommandOptions& o) {
  o.threads = usable_cores();
  command
      .add_option(
          "--net", o.networks,
          "a network, and the name that requests choose it by (its folder's, if none is given); may be repeated, "
          "the first is the default. Without it: those that come with the program")
      ->type_name("[NAME=]PATH")
      ->take_all();
  command.add_option("--host", o.host, "the address to listen on; 0.0.0.0: all of this machine's")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command.add_option("--port", o.port, "0: any free one")->check(CLI::Range(0, 65535))->capture_default_str();
  command.add_option("--web", o.web, "serve the files of this folder as well, as they are now")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory);
  command.add_option("--threads", o.threads, "that compute; of several, one is kept free of jobs")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--queue", o.queue, "requests, and as many jobs, that may wait for a thread; more get 503")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command.add_option("--connections", o.connections, "at the same time; more get 503")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--max-simulations", o.limits.simulations, "of one search")
      ->check(CLI::Range(1, embed::kMostSimulations))
      ->capture_default_str();
  command.add_option("--max-seconds", o.limits.seconds, "that a request may compute while its client waits")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  command.add_option("--max-job-seconds", o.limits.job_seconds, "that a job may compute")
      ->check(CLI::Range(0.01, 86400.0))
      ->capture_default_str();
  command.add_option("--max-positions", o.limits.positions, "of one evaluation")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command.add_option("--max-body", o.limits.body_bytes, "bytes of one request's body")
      ->check(CLI::Range(1024, 16 << 20))
      ->capture_default_str();
  command.add_option("--table-mib", o.limits.table_mib, "memory for exact values, for each thread")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  command
      .add_option("--allow-origin", o.allow_origin,
                  "let pages of this origin use the server (Access-Control-Allow-Origin); *: any")
      ->type_name("ORIGIN");
  command
      .add_option(
          "--allow-host", o.allow_hosts,
          "answer requests for this host name as well, and for none but loopback's and --host's; without it, any "
          "name will do unless --host is loopback; may be repeated")
      ->type_name("NAME")
      ->take_all();
  command.add_flag("--log", o.log, "a line for each request on standard error");
}

std::string examples(const std::string& program) {
  return fmt::format(
      "Listens on this machine alone unless told otherwise. docs/http.md has every request with an example.\n"
      "\n"
      "Examples:\n"
      "  {0}\n"
      "  {0} --net zero=checkpoints/zero --net night=runs/night/best --web DIR --port 8080\n"
      "  curl -s localhost:8080/api/v1/move -H 'Content-Type: application/json' \\\n"
      "    -d '{{\"position\": \"..../2F.A/E9../.8B3 -\", \"simulations\": 400}}'",
      program);
}

void run(const CommandOptions& o, const LoadNetwork& load, const std::atomic<bool>& stop) {
  if (!o.allow_origin.empty() && o.allow_origin.find_first_of("\r\n") != std::string::npos)
    throw std::invalid_argument("--allow-origin: not an origin");
  const std::vector<std::string> hosts = hosts_of(o);
  std::vector<ServedNetwork> networks;
  for (const std::string& text : o.networks) {
    const auto [name, path] = name_and_path(text);
    networks.push_back(load(path));
    networks.back().name = name;
  }
  if (o.networks.empty()) {
    // Those that come with the program.
    for (const char* name : {"zero", "distilled", "demo"}) {
      if (const auto path = find_shipped(fmt::format("checkpoints/{}/model.light", name))) {
        networks.push_back(load_light_network(*path));
        networks.back().name = name;
      }
    }
  }
  Site site;
  if (!o.web.empty()) site = Site(o.web);

  // Each connection is an open file.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  Service service(std::move(networks), std::move(site),
                  {.limits = o.limits,
                   .threads = o.threads,
                   .queue = o.queue,
                   .hosts = hosts,
                   .allow_origin = o.allow_origin,
                   .version = QUARTO_VERSION});
  HttpServer server(service, {.host = o.host,
                              .port = o.port,
                              .connections = o.connections,
                              .limits = {.body_bytes = o.limits.body_bytes},
                              .log = o.log});
  server.start();
  fmt::print("listening on {}\n", server.url());
  std::string names;
  for (const ServedNetwork& n : service.catalogue().networks()) {
    if (n.name != kNoNetwork) names += (names.empty() ? "" : ", ") + n.name;
  }
  fmt::print("networks: {}\n", names.empty() ? "none (--net gives one); searches go without" : names);
  std::fflush(stdout);
  if (!is_loopback(o.host)) {
    fmt::print(stderr,
               "quarto: warning: listening on {}, so others can reach it; there are no passwords and there is no "
               "encryption: that is the business of a proxy before it\n",
               o.host);
  }
  while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  fmt::print("stopping\n");
  server.stop();
}

}  // namespace quarto::serve
