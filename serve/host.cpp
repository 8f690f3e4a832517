#include "serve/host.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/lower.h"

namespace quarto::serve {
namespace {

std::optional<in6_addr> ipv6(std::string text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  in6_addr address{};
  if (::inet_pton(AF_INET6, text.c_str(), &address) != 1) return std::nullopt;
  return address;
}

}  // namespace

std::string normal_host(std::string_view host) {
  std::string name = lower(host);
  if (!ipv6(name)) {
    const auto colon = name.rfind(':');
    if (colon != std::string::npos && name.find(']', colon) == std::string::npos) name.resize(colon);
  }
  if (const auto address = ipv6(name)) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, &*address, text.data(), text.size());
    return "[" + std::string(text.data()) + "]";
  }
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool is_ipv6(std::string_view host) { return host.starts_with('[') && ipv6(std::string(host)); }

bool is_loopback(std::string_view host) {
  const std::string name = normal_host(host);
  if (name == "localhost") return true;
  if (const auto address = ipv6(name)) {
    const bool ipv4 = IN6_IS_ADDR_V4MAPPED(&*address) && address->s6_addr[12] == 127;
    return ipv4 || IN6_IS_ADDR_LOOPBACK(&*address);
  }
  // inet_aton() reads addresses as getaddrinfo() does: "127.1" is one, "127.evil.example" is not.
  in_addr address{};
  return ::inet_aton(name.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

}  // namespace quarto::serve
