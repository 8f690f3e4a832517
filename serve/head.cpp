#include "serve/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/lower.h"
#include "base/percent.h"

namespace quarto::serve {
namespace {

RequestError bad(const std::string& message) { return {400, "bad_request", message}; }

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

bool visible(char c) { return c > 0x20 && c < 0x7F; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Whether the list "a, b, c" has an entry, in lower case.
bool has_entry(std::string_view list, std::string_view wanted) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (lower(trimmed(list.substr(0, comma))) == wanted) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

void read_request_line(std::string_view line, Head& head) {
  const auto first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) throw bad("the first line is not METHOD PATH HTTP/1.1");
  head.method = line.substr(0, first);
  head.target = line.substr(first + 1, last - first - 1);
  head.version = line.substr(last + 1);
  if (!is_token(head.method)) throw bad("the first line does not begin with a method");
  constexpr std::array<std::string_view, 7> kMethods = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"};
  if (std::find(kMethods.begin(), kMethods.end(), head.method) == kMethods.end())
    throw RequestError(501, "not_implemented", fmt::format("the method {} is not supported", in_quotes(head.method)));
  if (head.version != "HTTP/1.1" && head.version != "HTTP/1.0") {
    if (head.version.starts_with("HTTP/") && head.version.size() == 8)
      throw RequestError(505, "version_not_supported", "this server supports HTTP/1.1 and HTTP/1.0");
    throw bad("the first line does not end in HTTP/1.1");
  }
  if (head.target.size() > kMostTargetBytes) {
    throw RequestError(414, "uri_too_long",
                       fmt::format("the path has {} bytes, more than {}", head.target.size(), kMostTargetBytes));
  }
  const bool plain = std::all_of(head.target.begin(), head.target.end(), visible);
  if (!head.target.starts_with('/') || !plain || head.target.find('#') != std::string::npos)
    throw bad("the target must begin with '/' and consist of printable ASCII characters without blanks and '#'");
  const auto query = head.target.find('?');
  const auto path = percent_decoded(std::string_view(head.target).substr(0, query));
  if (!path) throw bad("the path has a '%' without two hexadecimal digits, or an encoded NUL");
  head.path = *path;
  head.has_query = query != std::string::npos;
}

std::size_t length_of(std::string_view value, std::size_t most) {
  const bool digits =
      !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) throw bad(fmt::format("Content-Length is {}, not a number", in_quotes(value)));
  value.remove_prefix(std::min(value.find_first_not_of('0'), value.size()));
  // A number of at most nine digits cannot overflow.
  const std::size_t length = value.empty() ? 0 : value.size() > 9 ? std::string::npos : std::stoul(std::string(value));
  if (length > most) throw RequestError(413, "body_too_large", fmt::format("the body has more than {} bytes", most));
  return length;
}

}  // namespace

Head parse_head(std::string_view text, std::size_t most_body_bytes) {
  Head head;
  std::optional<std::string> host, length, transfer, connection, expect;
  int headers = -1;  // -1: the request line is next
  while (true) {
    const auto end = text.find("\r\n");
    if (end == std::string_view::npos) throw bad("the head does not end in a blank line");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    // As a byte: on some processors a char has a sign, on others it has none.
    if (std::any_of(line.begin(), line.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; }))
      throw bad("the head has a control character, or a line that does not end in CR LF");
    if (headers == -1) {
      read_request_line(line, head);
      headers = 0;
      continue;
    }
    if (line.empty()) break;
    if (++headers > kMostHeaders)
      throw RequestError(431, "headers_too_large", fmt::format("there are more than {} headers", kMostHeaders));
    if (line.size() > kMostHeaderBytes)
      throw RequestError(431, "headers_too_large", fmt::format("a header has more than {} bytes", kMostHeaderBytes));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
      throw bad(fmt::format("{} is not a header", in_quotes(line)));
    const std::string name = lower(line.substr(0, colon));
    const std::string value(trimmed(line.substr(colon + 1)));
    const auto once = [&](std::optional<std::string>& to) {
      if (to) throw bad(fmt::format("the header '{}' is repeated", name));
      to = value;
    };
    if (name == "host") once(host);
    if (name == "content-length") once(length);
    if (name == "transfer-encoding") once(transfer);
    if (name == "expect") once(expect);
    if (name == "connection") connection = connection ? *connection + "," + value : value;
    if (name == "content-type") head.content_type = value;
    if (name == "if-none-match") head.if_none_match = value;
    if (name == "content-encoding" && lower(value) != "identity")
      throw RequestError(415, "unsupported_media_type", "the body must not be compressed");
  }
  if (!text.empty()) throw bad("the head goes on after the blank line");

  if (!host && head.version == "HTTP/1.1") throw bad("the Host header is missing");
  head.host = host.value_or("");
  if (!std::all_of(head.host.begin(), head.host.end(), visible))
    throw bad("the Host header has a blank or a character that is not ASCII");
  if (transfer) {
    if (length) throw bad("Content-Length and Transfer-Encoding exclude each other");
    throw RequestError(411, "length_required", "a body must have a Content-Length; chunks are not supported");
  }
  if (length) head.body_bytes = length_of(*length, most_body_bytes);
  if (head.body_bytes > 0 && head.method != "POST" && head.method != "PUT" && head.method != "PATCH")
    throw bad(fmt::format("{} takes no body", head.method));
  if (expect && lower(*expect) != "100-continue")
    throw RequestError(417, "expectation_failed",
                       fmt::format("the expectation {} is not supported", in_quotes(*expect)));
  head.expects_continue = expect.has_value();
  const std::string options = connection.value_or("");
  head.close = has_entry(options, "close") || (head.version == "HTTP/1.0" && !has_entry(options, "keep-alive"));
  return head;
}

}  // namespace quarto::serve
