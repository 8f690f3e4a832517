// The service on a socket: accepts connections, whose requests connection.h and head.h read within limits; reply.h
// writes replies. Boost.Asio has the sockets and the timers, Boost.Beast the parser.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "serve/service.h"

namespace quarto::serve {

struct ConnectionLimits {
  std::size_t body_bytes = std::size_t{64} << 10;
  std::chrono::milliseconds idle{5000};      // from one request to the first byte of the next
  std::chrono::milliseconds request{10000};  // from the first byte of a request to its last
  std::chrono::milliseconds reply{10000};    // for sending a reply
};

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 0;           // 0: any free port
  int connections = 128;  // open at the same time; a further one gets 503
  int per_client = 0;     // of these, from one address; a further one gets 503; 0: no limit
  ConnectionLimits limits{};
  int requests = 1000;  // on one connection
  bool log = false;     // one line for each request on standard error
};

class HttpServer {
 public:
  // Binds and listens. Requests are answered after start(). The service must outlive the server. Throws
  // std::runtime_error if the address cannot be bound.
  HttpServer(Service& service, const HttpOptions& options);
  ~HttpServer();  // stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void start();
  // Closes the listening socket, cancels the service's computations, and waits until the replies are sent.
  void stop();

  int port() const;
  std::string url() const;  // http://127.0.0.1:8080

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto::serve
