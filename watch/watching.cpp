#include "watch/watching.h"

#include "serve/http.h"
#include "watch/dashboard.h"

namespace quarto::watch {
namespace {

serve::ServiceOptions options_of(serve::Additions additions, const std::string& version) {
  serve::ServiceOptions options;
  options.hosts = {"localhost", "127.0.0.1", "[::1]"};
  options.version = version;
  options.branches = std::move(additions.branches);
  options.more_networks = std::move(additions.networks);
  return options;
}

}  // namespace

struct Watching::Impl {
  Impl(const std::filesystem::path& folder, int port, NetworkLoader load, const std::string& version)
      : service({}, {}, options_of(dashboard(folder, std::move(load)), version)),
        server(service, {.host = "127.0.0.1", .port = port}) {
    server.start();
  }
  serve::Service service;
  serve::HttpServer server;
};

Watching::Watching(const std::filesystem::path& folder, int port, NetworkLoader load, const std::string& version)
    : impl_(std::make_unique<Impl>(folder, port, std::move(load), version)) {}

Watching::~Watching() = default;

std::string Watching::url() const { return impl_->server.url() + "/runs/"; }

}  // namespace quarto::watch
