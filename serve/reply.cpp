#include "serve/reply.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/beast/http/status.hpp>
#include <iterator>
#include <string_view>

namespace quarto::serve {

std::string to_bytes(const Reply& reply, std::time_t now, const KeepAlive* keep_alive, bool with_body) {
  const auto phrase =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(static_cast<unsigned>(reply.status)));
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, std::string_view(phrase.data(), phrase.size()));
  const auto out = std::back_inserter(text);
  // In English whatever the locale is.
  fmt::format_to(out, "Date: {:%a, %d %b %Y %T GMT}\r\n", fmt::gmtime(now));
  if (keep_alive && !reply.stream) {
    fmt::format_to(out, "Connection: keep-alive\r\nKeep-Alive: timeout={}, max={}\r\n", keep_alive->seconds,
                   keep_alive->requests);
  } else {
    text += "Connection: close\r\n";
  }
  for (const auto& [name, value] : reply.headers) fmt::format_to(out, "{}: {}\r\n", name, value);
  if (!reply.content_type.empty()) fmt::format_to(out, "Content-Type: {}\r\n", reply.content_type);
  const bool has_body = reply.status != 204 && reply.status != 304;
  if (has_body && !reply.stream) fmt::format_to(out, "Content-Length: {}\r\n", reply.body.size());
  text += "\r\n";
  if (has_body && with_body) text += reply.body;
  return text;
}

}  // namespace quarto::serve
