// A reply, and its text in HTTP/1.1.
#pragma once

#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quarto::serve {

// The next piece of a reply that has no length, such as server-sent events: "" for nothing yet, nullopt for the end. It
// is asked several times a second until the client leaves or the server needs the connection, and must not block.
using Stream = std::function<std::optional<std::string>()>;

struct Reply {
  int status = 200;
  std::string body{}, content_type{};
  std::vector<std::pair<std::string, std::string>> headers{};
  Stream stream{};  // follows the body, if there is one; the connection ends with it
};

// The values of a Keep-Alive header.
struct KeepAlive {
  long seconds = 0;
  int requests = 0;
};

// Status line, headers, body.
//   now         of the Date header, in seconds since 1970
//   keep_alive  null: the connection is closed after this reply
//   with_body   false, for HEAD: the headers are those of the whole reply, without the body
// 204 and 304 have neither body nor Content-Length, and a reply with a stream no Content-Length.
std::string to_bytes(const Reply& reply, std::time_t now, const KeepAlive* keep_alive, bool with_body = true);

}  // namespace quarto::serve
