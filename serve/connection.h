// One client's connection: whole requests come out of it, or it ends. Every wait has an end, and nothing is kept
// beyond one request of bounded size.
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

namespace quarto::serve {

struct ConnectionLimits {
  std::size_t body_bytes = std::size_t{64} << 10;
  std::chrono::milliseconds idle{5000};      // between requests, until the first byte
  std::chrono::milliseconds request{10000};  // from a request's first byte to its last, however slowly they come
  std::chrono::milliseconds reply{10000};    // to take the reply
};

struct WholeRequest {
  Head head;
  std::string body;
};

// Not thread-safe. Does not close the socket.
class Connection {
 public:
  // `tired` is asked a few times a second while nothing comes: if it says yes, the connection ends, unless a request
  // has come in the meantime. It gets the time spent waiting for one to begin, 0 within one.
  Connection(int socket, ConnectionLimits limits, std::function<bool(std::chrono::milliseconds)> tired);

  // nullopt: there will be none any more. Throws RequestError for what is no request, after which the connection
  // cannot be used but for a reply; 408 if it came too slowly.
  std::optional<WholeRequest> next();
  // False if the client did not take it in time.
  bool send(std::string_view bytes);
  // The client has closed its side. Said also of one that only will not send any more.
  bool client_gone() const;

 private:
  using Clock = std::chrono::steady_clock;
  // Appends what has come, waiting for it until the deadline. False: nothing will, or nothing did.
  bool receive(Clock::time_point deadline);

  int socket_;
  ConnectionLimits limits_;
  std::function<bool(std::chrono::milliseconds)> tired_;
  std::string received_;
  bool in_request_ = false, ended_ = false;
};

// Closes connections whose clients may still be sending: closed at once, they would lose the reply (TCP resets the
// connection, and what was on its way is thrown away). Thread-safe; never blocks.
class Closer {
 public:
  Closer();
  ~Closer();  // closes what is left at once
  Closer(const Closer&) = delete;
  Closer& operator=(const Closer&) = delete;

  // Sends `reply` (as far as it goes at once), says that it is all, waits for the client to close for a second at most.
  void close(int socket, std::string_view reply = "") noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Leaving {
    int socket;
    Clock::time_point deadline;
  };
  void run();
  static constexpr std::size_t kMost = 256;

  std::mutex mutex_;
  std::list<Leaving> leaving_;
  int wake_[2] = {-1, -1};
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace quarto::serve
