// The service on a socket, by way of cpp-httplib: it listens, accepts, reads the request line, decodes the path and
// writes replies. What comes in is read, limited and checked before (connection.h, head.h), because the library as
// Debian 12 has it bounds neither the time nor the memory that a request may take while it is read.
#pragma once

#include <memory>
#include <string>

#include "serve/connection.h"
#include "serve/service.h"

namespace quarto::serve {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 0;           // 0: any free one
  int connections = 128;  // at the same time, each with a thread that mostly waits; more get 503 at once
  ConnectionLimits limits{};
  int requests = 1000;  // on one connection
  bool log = false;     // a line for each request on standard error
};

class HttpServer {
 public:
  // Binds and listens; requests are answered from start() on. The service must outlive it. Throws std::runtime_error if
  // the address cannot be had.
  HttpServer(Service& service, const HttpOptions& options);
  ~HttpServer();  // stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  void start();
  // Takes no more connections, stops the service's computations, lets replies go out, and waits for all of it.
  void stop();

  int port() const;
  std::string url() const;  // http://127.0.0.1:8080

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto::serve
