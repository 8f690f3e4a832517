// A client's bytes as a connection reads them: heads and bodies, in pieces.
#include "serve/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return 0;
  if (size > 60'000) size = 60'000;  // what the socket takes without anybody reading
  if (::send(ends[0], data, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) size = 0;
  ::shutdown(ends[0], SHUT_WR);
  try {
    serve::Connection connection(ends[1], {}, [](std::chrono::milliseconds) { return false; });
    std::size_t bytes = 0;
    while (const auto request = connection.next()) {
      bytes += request->body.size();
      fuzz::require(bytes <= size);
    }
  } catch (const serve::RequestError&) {
  }
  ::close(ends[0]);
  ::close(ends[1]);
  return 0;
}
