// How many connections each client has open, so that one cannot take them all.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace quarto::serve {

// Thread-safe. A client is an IPv4 address, or the first 64 bits of an IPv6 address, which are one customer's as a
// rule.
class Clients {
 public:
  // `most` connections for each; 0: no limit.
  explicit Clients(int most) : most_(most) {}
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  // Counts the connection of this socket for as long as the result lives, which must not outlive this; null if its
  // client has too many. Sockets whose other end is unknown are counted together.
  std::shared_ptr<const void> admit(int socket);

 private:
  void leave(const std::string& client);

  const int most_;
  std::mutex mutex_;
  std::map<std::string, int> open_;
};

}  // namespace quarto::serve
