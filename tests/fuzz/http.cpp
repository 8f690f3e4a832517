// A client's bytes at the socket of a running server: every reply is one, and the connection ends.
#include "serve/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/small_service.h"

namespace {

quarto::serve::HttpServer& server() {
  using namespace quarto::serve;
  static HttpServer started(quarto::fuzz::small_service(), {});
  static const bool once = (started.start(), true);
  static_cast<void>(once);
  return started;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server().port()));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return 0;
  std::string text;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    if (size > 60'000) size = 60'000;  // what the socket takes without anybody reading
    if (::send(socket, data, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) size = 0;
    ::shutdown(socket, SHUT_WR);
    std::array<char, 4096> bytes;
    for (ssize_t n; (n = ::recv(socket, bytes.data(), bytes.size(), 0)) > 0;)
      text.append(bytes.data(), static_cast<std::size_t>(n));
  }
  ::close(socket);
  // Of the first reply; 500 would be a defect.
  fuzz::require(text.empty() || (text.starts_with("HTTP/1.1 ") && text.substr(9, 3) != "500"));
  return 0;
}
