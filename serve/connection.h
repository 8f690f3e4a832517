// A client's connection: reads whole requests, sends replies, closes. All waiting times are limited. Memory is limited
// too: a connection stores at most one request of bounded size and what was received with it.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "serve/head.h"
#include "serve/wake.h"

namespace quarto::serve {

struct ConnectionLimits {
  std::size_t body_bytes = std::size_t{64} << 10;
  std::chrono::milliseconds idle{5000};      // from one request to the first byte of the next
  std::chrono::milliseconds request{10000};  // from the first byte of a request to its last
  std::chrono::milliseconds reply{10000};    // for sending a reply
};

struct WholeRequest {
  Head head;
  std::string body;
};

// Not thread-safe. Does not close the socket.
class Connection {
 public:
  // `give_up` is called several times a second while nothing arrives, with the time since the last request (0 within a
  // request). When it returns true, next() gives up, unless a request has begun to arrive meanwhile.
  Connection(int socket, ConnectionLimits limits, std::function<bool(std::chrono::milliseconds idle)> give_up);

  // Waits for the next request. nullopt: the client has closed the connection, or the wait was given up. Throws
  // RequestError for a malformed request, and 408 for one that takes too long; afterwards the connection can only be
  // used to send a reply.
  std::optional<WholeRequest> next();
  // False: the client has gone or did not read in time.
  bool send(std::string_view bytes);
  // The client has closed the connection, or its sending half: TCP does not tell the two apart.
  bool client_gone() const;
  // Waits for `time`, or until the client has gone. False: it has gone. What it sends meanwhile is for next().
  bool pause(std::chrono::milliseconds time) const;

 private:
  using Clock = std::chrono::steady_clock;
  // Appends received bytes, after waiting for them if necessary. False: none until the deadline, or the end.
  bool receive(Clock::time_point deadline);

  int socket_;
  ConnectionLimits limits_;
  std::function<bool(std::chrono::milliseconds)> give_up_;
  std::string received_;
  bool in_request_ = false, ended_ = false;
};

// Closes connections without losing the last reply. If a socket is closed while the client still sends, TCP resets the
// connection and the client may never see the reply. So the closer first ends the sending half, then reads and discards
// until the client closes, for a second at most. Thread-safe; close() never blocks.
class Closer {
 public:
  Closer();
  ~Closer();  // closes the remaining sockets at once
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;

  // Sends as much of `reply` as the socket takes without blocking. Owns the socket from now on.
  void close(int socket, std::string_view reply = "") noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Leaving {
    int socket;
    Clock::time_point deadline;
  };
  void run();
  static constexpr std::size_t kMost = 256;  // sockets that wait to be closed

  std::mutex mutex_;
  std::list<Leaving> leaving_;
  Wake wake_;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace quarto::serve
