#include "serve/http.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "serve/clients.h"
#include "serve/listener.h"
#include "serve/pool.h"

namespace quarto::serve {
namespace {

using Clock = std::chrono::steady_clock;

// When all threads are busy, a connection that has been idle for longer than this is closed.
constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::chrono::milliseconds kStreamPause{200};  // between two questions to a stream

void log_line(std::string_view method, std::string_view target, int status, double seconds) {
  const std::string line = fmt::format("{:%FT%TZ} {} {} {} {:.1f} ms\n", fmt::gmtime(std::time(nullptr)), method,
                                       target, status, 1000 * seconds);
  std::fwrite(line.data(), 1, line.size(), stderr);  // errors are ignored: the server works without its log
}

}  // namespace

struct HttpServer::Impl {
  Impl(Service& s, const HttpOptions& o)
      : service(s),
        options(o),
        clients(o.per_client),
        pool(static_cast<std::size_t>(o.connections)),
        listener(o.host, o.port) {
    Metrics& metrics = service.metrics();
    metrics.declare("quartozero_connections_total", "counter", "Connections, by what became of them.");
    metrics.declare("quartozero_connections_open", "gauge", "Connections that have a thread.");
    metrics.gauge("quartozero_connections_open", [this] { return static_cast<double>(pool.busy()); });
  }
  ~Impl() { service.metrics().gauge("quartozero_connections_open", {}); }

  // On the listener's thread.
  void accepted(int socket) noexcept {
    bool taken = false, crowd = false;
    try {
      const auto admitted = clients.admit(socket);
      crowd = !admitted;
      taken = admitted && pool.run([this, socket, admitted] { serve_connection(socket); });
    } catch (const std::exception&) {  // no memory
    }
    if (taken) return;
    try {
      service.metrics().count("quartozero_connections_total", "state=\"refused\"");
    } catch (const std::exception&) {  // no memory
    }
    refuse(socket,
           {503, "overloaded",
            crowd ? "there are too many connections from your address; close some"
                  : "there are too many connections; try again later"},
           "(refused)");
  }

  // Replies with an error and closes the socket.
  void refuse(int socket, const RequestError& error, const char* method) noexcept {
    try {
      if (options.log) log_line(method, "", error.status(), 0);
      closer.close(socket, to_bytes(service.refuse(error), nullptr));
    } catch (const std::exception&) {  // no memory
      ::close(socket);
    }
  }

  // On a thread of the pool: all requests of one connection.
  void serve_connection(int socket) noexcept {
    try {
      Connection connection(socket, options.limits, [this](std::chrono::milliseconds idle) {
        return stopping || (idle > kPatience && pool.full());
      });
      service.metrics().count("quartozero_connections_total", "state=\"served\"");
      int left = options.requests;
      while (!stopping) {
        std::optional<WholeRequest> request = connection.next();
        if (!request || !serve(connection, std::move(*request), --left)) break;
      }
      closer.close(socket);
    } catch (const RequestError& e) {
      refuse(socket, e, "(malformed)");
    } catch (const std::exception&) {  // no memory
      closer.close(socket);
    }
  }

  // False: the connection must be closed.
  bool serve(Connection& connection, WholeRequest request, int requests_left) {
    const auto start = Clock::now();
    Head& head = request.head;
    bool close = head.close || requests_left <= 0 || stopping || pool.crowded();
    int status = 0;
    std::string bytes;
    Stream stream;
    try {
      Reply reply = service.handle({.method = head.method,
                                    .path = std::move(head.path),
                                    .has_query = head.has_query,
                                    .body = std::move(request.body),
                                    .content_type = std::move(head.content_type),
                                    .host = std::move(head.host),
                                    .if_none_match = std::move(head.if_none_match)},
                                   [&connection] { return connection.client_gone(); });
      status = reply.status;
      bytes = to_bytes(reply, close ? nullptr : &keep_alive, head.method != "HEAD");
      close = close || reply.stream;
      if (head.method != "HEAD") stream = std::move(reply.stream);
    } catch (const std::exception&) {
      // No memory for the reply. The service may have counted the request already, so it is not counted here.
      close = true;
      status = 503;
      const RequestError error(status, "overloaded", "there is not enough memory; try again later");
      bytes = to_bytes({status, to_text(error_body(error)), "application/json", {{"Retry-After", "1"}}}, nullptr,
                       head.method != "HEAD");
    }
    if (options.log) {
      log_line(head.method, head.target, status, std::chrono::duration<double>(Clock::now() - start).count());
    }
    if (!connection.send(bytes)) return false;
    if (stream) send_stream(connection, stream);
    return !close;
  }

  // Until it ends, the client leaves, the server stops, or another client needs the thread.
  void send_stream(Connection& connection, const Stream& stream) noexcept {
    const auto start = Clock::now();
    try {
      while (!stopping && !(pool.full() && Clock::now() - start > kPatience)) {
        const std::optional<std::string> piece = stream();
        if (!piece) return;
        if (piece->empty() ? !connection.pause(kStreamPause) : !connection.send(*piece)) return;
      }
    } catch (const std::exception&) {  // no memory: the client asks again
    }
  }

  Service& service;
  const HttpOptions options;
  const KeepAlive keep_alive{std::chrono::ceil<std::chrono::seconds>(options.limits.idle).count(), options.requests};
  std::atomic<bool> stopping = false;
  Closer closer;
  Clients clients;
  Pool pool;
  Listener listener;
};

HttpServer::HttpServer(Service& service, const HttpOptions& options)
    : impl_(std::make_unique<Impl>(service, options)) {}

HttpServer::~HttpServer() { stop(); }

void HttpServer::start() {
  impl_->listener.start([impl = impl_.get()](int socket) { impl->accepted(socket); });
}

void HttpServer::stop() {
  impl_->stopping = true;
  impl_->listener.stop();
  impl_->service.stop();
  impl_->pool.join();
}

int HttpServer::port() const { return impl_->listener.port(); }

std::string HttpServer::url() const {
  const std::string& host = impl_->options.host;
  return fmt::format("http://{}:{}", host.find(':') == std::string::npos ? host : "[" + host + "]", port());
}

}  // namespace quarto::serve
