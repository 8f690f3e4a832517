// A listening TCP socket and the thread that accepts its connections.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "serve/wake.h"

namespace quarto::serve {

class Listener {
 public:
  // Binds and listens. `host` is an IPv4 or IPv6 address or a name; of a name's addresses the first that can be bound
  // is used. Port 0 selects a free port. Throws std::runtime_error with the system's reason.
  Listener(const std::string& host, int port);
  ~Listener();  // stops
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  int port() const;

  // Starts the thread. It calls `accepted` with each new socket; `accepted` owns the socket and must neither throw nor
  // block. Connections made before start() wait in the system's queue.
  //
  // Errors do not end the thread: after a lack of descriptors or memory it waits and accepts again; a socket that no
  // longer listens is replaced by a new one on the same address.
  void start(std::function<void(int socket)> accepted);

  // Ends the thread and closes the listening socket. `accepted` is not called afterwards. Not thread-safe.
  void stop() noexcept;

 private:
  void run();
  void accept_one();
  void replace_socket();
  // Returns early after stop().
  void pause() const;

  sockaddr_storage address_{};
  socklen_t address_size_ = 0;
  int socket_ = -1;
  std::function<void(int)> accepted_;
  std::atomic<bool> stopping_ = false;
  Wake wake_;
  std::thread thread_;
};

}  // namespace quarto::serve
