// A client's connection: reads whole requests, sends replies, closes. All waiting times are limited. Memory is limited
// too: a connection stores at most one request of bounded size and what was received with it.
#pragma once

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "serve/http.h"

namespace quarto::serve {

// What a connection asks its server. Thread-safe.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual bool stopping() const = 0;
  virtual bool crowded() const = 0;     // most places are taken: no connection is kept after its reply
  virtual bool full() const = 0;        // all are: an idle connection gives way
  virtual bool may_linger() const = 0;  // not too many wait to be closed
  // `target` is that of the request, as it was sent.
  virtual Reply answer(const Request& request, std::string_view target, const std::function<bool()>& abandoned) = 0;
  virtual Reply refuse(const RequestError& error, const char* method) = 0;
};

// Its handlers run one after another, on any of the server's threads, and keep it alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  // `place` is given back when the last reply has been sent, `alive` when the socket is closed.
  Connection(ConnectionHost& host, Socket socket, const HttpOptions& options, std::shared_ptr<const void> place,
             std::shared_ptr<const void> alive);

  // Once, on the socket's executor. A refusal is the only reply.
  void start(const std::optional<RequestError>& refusal);

 private:
  using Clock = std::chrono::steady_clock;
  using Error = boost::system::error_code;
  enum class State { idle, request, reply, streaming, closing };
  void next();
  void receive();
  void received();
  void answer();
  void send(std::string bytes, void (Connection::*then)());
  void stream();
  void refuse(const RequestError& error, const char* method = "(malformed)");
  void close();
  void linger();
  void end() noexcept;
  void limit(std::chrono::milliseconds time);
  void watch();
  bool client_gone();
  template <class Work>
  void guard(Work work) noexcept;

  ConnectionHost& host_;
  std::shared_ptr<const void> alive_, place_;
  Socket socket_;
  boost::asio::steady_timer timer_;
  const HttpOptions& options_;
  int requests_left_;
  std::array<char, 8192> piece_;
  std::string received_, sending_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  std::optional<Request> request_;  // as soon as its head has been read
  Stream stream_;
  State state_ = State::idle;
  Clock::time_point since_, deadline_, answered_;
  bool over_ = false;   // the operation has taken too long, or is not to go on
  bool close_ = false;  // after the reply
};

}  // namespace quarto::serve
