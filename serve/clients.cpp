#include "serve/clients.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

namespace quarto::serve {
namespace {

std::string client_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  const auto bytes = [](const auto& part, std::size_t count) {
    return std::string(reinterpret_cast<const char*>(&part), count);
  };
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return bytes(v4.sin_addr, sizeof v4.sin_addr);
  }
  if (address.ss_family != AF_INET6) return "";
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  // An IPv4 client of a socket that listens to both kinds: its address is in the last four bytes.
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return bytes(v6.sin6_addr, 16).substr(12);
  return bytes(v6.sin6_addr, 8);
}

}  // namespace

std::shared_ptr<const void> Clients::admit(int socket) {
  const std::string client = client_of(socket);
  {
    const std::scoped_lock lock(mutex_);
    int& open = open_[client];
    if (most_ > 0 && open >= most_) return nullptr;
    ++open;
  }
  // Outside the lock: without memory for it the deleter is called at once.
  return std::shared_ptr<const void>(this, [this, client](const void*) { leave(client); });
}

void Clients::leave(const std::string& client) {
  const std::scoped_lock lock(mutex_);
  const auto at = open_.find(client);
  if (--at->second == 0) open_.erase(at);
}

}  // namespace quarto::serve
