#include "serve/reply.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace quarto::serve {
namespace {

// Of the statuses that this server uses (RFC 9110; 431: RFC 6585). The phrase may be empty.
std::string_view reason_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 302:
      return "Found";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "";
  }
}

}  // namespace

std::string to_bytes(const Reply& reply, const KeepAlive* keep_alive, bool with_body) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\n", reply.status, reason_phrase(reply.status));
  const auto out = std::back_inserter(text);
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
