#include "serve/http.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "serve/clients.h"
#include "serve/connection.h"

namespace quarto::serve {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr int kBacklog = 128;
constexpr std::chrono::milliseconds kPause{50};
constexpr int kMostLingering = 256;  // sockets that wait to be closed

void log_line(std::string_view method, std::string_view target, int status, double seconds) {
  const std::string line = fmt::format("{:%FT%TZ} {} {} {} {:.1f} ms\n", fmt::gmtime(std::time(nullptr)), method,
                                       target, status, 1000 * seconds);
  std::fwrite(line.data(), 1, line.size(), stderr);  // errors are ignored: the server works without its log
}

}  // namespace

struct HttpServer::Impl final : ConnectionHost {
  Impl(Service& s, const HttpOptions& o) : service(s), options(o), clients(o.per_client) {
    listen();
    Metrics& metrics = service.metrics();
    metrics.declare("quartozero_connections_total", "counter", "Connections, by what became of them.");
    metrics.declare("quartozero_connections_open", "gauge", "Connections that are served.");
    metrics.gauge("quartozero_connections_open", [this] { return static_cast<double>(open); });
  }
  ~Impl() override { service.metrics().gauge("quartozero_connections_open", {}); }

  // Of a name's addresses the first that can be bound is used.
  void listen() {
    const auto failed = [&](const std::string& reason) {
      return std::runtime_error(fmt::format("cannot listen on {} port {}: {}", options.host, options.port, reason));
    };
    Error error = asio::error::host_not_found;
    tcp::resolver::results_type found;
    if (!options.host.empty()) {  // which would be any address
      found = tcp::resolver(io).resolve(options.host, std::to_string(options.port),
                                        tcp::resolver::passive | tcp::resolver::numeric_service, error);
    }
    if (error) throw failed(error.message());
    for (const auto& entry : found) {
      if (!bind(entry.endpoint(), error)) continue;
      endpoint = acceptor.local_endpoint();
      return;
    }
    throw failed(error.message() +
                 (error == asio::error::address_in_use ? "; name another port, or 0 for any that is free" : ""));
  }

  // SO_REUSEADDR allows a restart while old connections are in TIME_WAIT. Unlike SO_REUSEPORT it does not allow two
  // servers to listen on one port.
  bool bind(const tcp::endpoint& at, Error& error) {
    Error ignored;
    acceptor.close(ignored);
    acceptor.open(at.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(at, error);
    if (!error) acceptor.listen(kBacklog, error);
    if (error) return false;
    ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    return true;
  }

  // Errors do not end it: after a lack of descriptors or memory it waits and goes on; a socket that no longer listens
  // is replaced by a new one on the same address.
  void accept(bool later = false) noexcept {
    while (true) {
      try {
        if (later) {
          timer.expires_after(kPause);
          timer.async_wait([this](Error) {
            if (!stopping_) accept();
          });
        } else {
          acceptor.async_accept(asio::make_strand(io), [this](Error error, tcp::socket socket) {
            if (stopping_) return;
            if (!error) accepted(std::move(socket));
            if (error == asio::error::invalid_argument || !acceptor.is_open()) bind(endpoint, error);
            accept(static_cast<bool>(error));
          });
        }
        return;
      } catch (const std::exception&) {  // no memory
        std::this_thread::sleep_for(kPause);
      }
    }
  }

  void accepted(tcp::socket socket) noexcept {
    try {
      Error ignored;
      ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
      socket.set_option(tcp::no_delay(true), ignored);
      const auto admitted = clients.admit(socket.native_handle());
      const bool crowd = !admitted, taken = admitted && !full();
      service.metrics().count("quartozero_connections_total", taken ? "state=\"served\"" : "state=\"refused\"");
      std::shared_ptr<const void> place;
      if (taken) {
        ++open;
        place = std::shared_ptr<const void>(nullptr, [this, admitted](const void*) { --open; });
      }
      const auto executor = socket.get_executor();
      const auto connection = std::make_shared<Connection>(*this, std::move(socket), options, place, alive);
      std::optional<RequestError> refusal;
      if (!taken) {
        refusal.emplace(503, "overloaded",
                        crowd ? "there are too many connections from your address; close some"
                              : "there are too many connections; try again later");
      }
      asio::post(executor, [connection, refusal] { connection->start(refusal); });
    } catch (const std::exception&) {  // no memory
    }
  }

  bool stopping() const override { return stopping_; }
  bool crowded() const override { return open * 4 >= options.connections * 3; }
  bool full() const override { return open >= options.connections; }
  bool may_linger() const override { return alive.use_count() < options.connections + kMostLingering; }

  Reply answer(const Request& request, std::string_view target, const std::function<bool()>& abandoned) override {
    const auto start = Clock::now();
    Reply reply;
    try {
      if (++answering >= started && !add_thread()) throw std::bad_alloc();
      reply = service.handle(request, abandoned);
    } catch (const std::exception&) {
      // No memory for the reply. The service may have counted the request already, so it is not counted here.
      const RequestError error(503, "overloaded", "there is not enough memory; try again later");
      reply = {503, to_text(error_body(error)), "application/json", {{"Retry-After", "1"}}};
    }
    --answering;
    if (options.log) log_line(request.method, target, reply.status, seconds_since(start));
    return reply;
  }

  Reply refuse(const RequestError& error, const char* method) override {
    if (options.log) log_line(method, "", error.status(), 0);
    return service.refuse(error);
  }

  // There is one more than requests being answered, whose threads wait for the computation.
  bool add_thread() {
    const std::lock_guard lock(mutex);
    try {
      threads.emplace_back([this] { work(); });
    } catch (const std::exception&) {
      return false;
    }
    ++started;
    return true;
  }

  void work() noexcept {
    while (true) {
      try {
        io.run();
        return;
      } catch (const std::exception&) {  // no memory for an operation; its connection is ended when its time is over
      }
    }
  }

  void stop() {
    if (stopping_.exchange(true)) return;
    asio::post(strand, [this] {
      Error ignored;
      acceptor.close(ignored);
      timer.cancel();
    });
    service.stop();
    for (std::size_t i = 0;; ++i) {
      std::thread thread;
      {
        const std::lock_guard lock(mutex);
        if (i == threads.size()) break;
        thread = std::move(threads[i]);
      }
      thread.join();
    }
  }

  Service& service;
  const HttpOptions options;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> open = 0, answering = 0, started = 0;
  Clients clients;
  const std::shared_ptr<const void> alive = std::make_shared<char>();  // one more owner for each connection
  asio::io_context io;
  const asio::strand<asio::io_context::executor_type> strand{io.get_executor()};  // for accept()
  tcp::acceptor acceptor{strand};
  asio::steady_timer timer{strand};
  tcp::endpoint endpoint;  // with the port that was chosen
  std::mutex mutex;
  std::vector<std::thread> threads;
};

HttpServer::HttpServer(Service& service, const HttpOptions& options)
    : impl_(std::make_unique<Impl>(service, options)) {}

HttpServer::~HttpServer() { stop(); }

void HttpServer::start() {
  impl_->accept();
  if (!impl_->add_thread()) throw std::runtime_error("cannot start a thread");
}

void HttpServer::stop() { impl_->stop(); }

int HttpServer::port() const { return impl_->endpoint.port(); }

std::string HttpServer::url() const {
  const std::string& host = impl_->options.host;
  return fmt::format("http://{}:{}", host.find(':') == std::string::npos ? host : "[" + host + "]", port());
}

}  // namespace quarto::serve
