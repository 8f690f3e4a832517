#include "serve/head.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/rfc7230.hpp>

#include "base/lower.h"
#include "base/percent.h"
#include "serve/host.h"

namespace quarto::serve {
namespace {

namespace http = boost::beast::http;

RequestError bad(const std::string& message) { return {400, "bad_request", message}; }

bool visible(char c) { return c > 0x20 && c < 0x7F; }
bool all_visible(std::string_view text) { return std::all_of(text.begin(), text.end(), visible); }
std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

// The values of all lines of a header, which stand for one list (RFC 9110, 5.3).
std::string joined(const http::request_header<>& head, http::field name) {
  std::string all;
  const auto [first, last] = head.equal_range(name);
  for (auto at = first; at != last; ++at) all += (all.empty() ? "" : ", ") + std::string(view(at->value()));
  return all;
}

// A name or an IPv4 address, or an IPv6 address in brackets, and a port (RFC 3986, 3.2.2). It may be empty in a header
// alone.
bool is_host(std::string_view text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return false;
  const std::size_t colon = text.find(':', bracket);
  const std::string_view name = text.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (port.find_first_not_of("0123456789") != std::string_view::npos) return false;
  if (bracket > 0) return bracket + 1 == name.size() && is_ipv6(name);
  constexpr std::string_view kMarks = "-._~!$&'()*+,;=%";
  return std::all_of(name.begin(), name.end(),
                     [&](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              kMarks.find(c) != std::string_view::npos;
                     }) &&
         percent_decoded(name);
}

// The target is a path, or a URI as proxies send it, whose host counts instead of the header's (RFC 9112, 3.2.2).
void read_target(std::string_view target, Request& request) {
  if (target.size() > kMostTargetBytes) {
    throw RequestError(414, "uri_too_long",
                       fmt::format("the path has {} bytes, more than {}", target.size(), kMostTargetBytes));
  }
  const auto refused = [] {
    return bad(
        "the target must be a path or an http:// URI, of printable ASCII characters without blanks, '#' and a user");
  };
  if (!all_visible(target) || target.find('#') != std::string_view::npos) throw refused();
  constexpr std::string_view kScheme = "http://";
  const bool is_uri = lower(target.substr(0, kScheme.size())) == kScheme;
  if (is_uri) {
    target.remove_prefix(kScheme.size());
    request.host = target.substr(0, target.find_first_of("/?"));
    target.remove_prefix(request.host.size());
    if (!is_host(request.host) || request.host.empty() || request.host.starts_with(':')) throw refused();
  }
  const auto query = target.find('?');
  const std::string_view path = target.substr(0, query);
  if (!path.starts_with('/') && !(is_uri && path.empty())) throw refused();
  const auto decoded = percent_decoded(path.empty() ? "/" : path);
  if (!decoded) throw bad("the path has a '%' without two hexadecimal digits, or an encoded NUL");
  request.path = *decoded;
  request.has_query = query != std::string_view::npos;
}

}  // namespace

Request checked_head(const http::request_header<>& head) {
  Request request{.method = std::string(head.method_string()), .path = ""};
  constexpr std::array kMethods = {http::verb::get,     http::verb::head,    http::verb::post, http::verb::put,
                                   http::verb::delete_, http::verb::options, http::verb::patch};
  if (std::find(kMethods.begin(), kMethods.end(), head.method()) == kMethods.end())
    throw RequestError(501, "not_implemented",
                       fmt::format("the method {} is not supported", in_quotes(request.method)));
  int count = 0;
  for (const auto& field : head) {
    if (++count > kMostHeaders)
      throw RequestError(431, "headers_too_large", fmt::format("there are more than {} headers", kMostHeaders));
    if (field.name_string().size() + field.value().size() > kMostHeaderBytes)
      throw RequestError(431, "headers_too_large", fmt::format("a header has more than {} bytes", kMostHeaderBytes));
  }
  for (const auto once : {http::field::host, http::field::content_length, http::field::expect}) {
    if (head.count(once) > 1) throw bad(fmt::format("the header '{}' is repeated", view(http::to_string(once))));
  }
  if (head.version() == 11 && head.count(http::field::host) == 0) throw bad("the Host header is missing");
  const auto value = [&head](http::field name) { return view(head[name]); };
  request.host = value(http::field::host);
  if (!is_host(request.host)) throw bad("the Host header is no name or address, with a port or without");
  read_target(view(head.target()), request);
  if (const auto coding = joined(head, http::field::content_encoding); !coding.empty() && lower(coding) != "identity")
    throw RequestError(415, "unsupported_media_type", "the body must not be compressed");
  const std::string coding = lower(joined(head, http::field::transfer_encoding));
  const bool chunked = coding == "chunked" && head.version() >= 11;
  if (head.count(http::field::transfer_encoding) > 0 && !chunked) {
    // What does not end in chunks has no end, and HTTP/1.0 has none of them (RFC 9112, 6.1 and 6.3).
    if (!coding.ends_with("chunked") || head.version() < 11)
      throw bad("the Transfer-Encoding does not tell the length");
    throw RequestError(501, "not_implemented", "the only Transfer-Encoding that is supported is chunked");
  }
  const bool takes_body =
      head.method() == http::verb::post || head.method() == http::verb::put || head.method() == http::verb::patch;
  if (const auto length = value(http::field::content_length);
      !takes_body && (chunked || length.find_first_not_of('0') != std::string_view::npos))
    throw bad(fmt::format("{} takes no body", request.method));
  if (const auto expect = value(http::field::expect); !expect.empty() && lower(expect) != "100-continue")
    throw RequestError(417, "expectation_failed",
                       fmt::format("the expectation {} is not supported", in_quotes(expect)));
  request.content_type = value(http::field::content_type);
  request.if_match = joined(head, http::field::if_match);
  request.if_none_match = joined(head, http::field::if_none_match);
  return request;
}

RequestError parser_error(const boost::system::error_code& error, const http::request_header<>& head,
                          std::string_view rest) {
  if (error == http::error::body_limit) return {413, "body_too_large", "the body is too large"};
  if (error == http::error::header_limit) {
    // A first line without an end counts as a target that is too long.
    if (head.target().empty()) return {414, "uri_too_long", "the request's first line is too long"};
    return {431, "headers_too_large", fmt::format("the headers have more than {} bytes", kMostHeadBytes)};
  }
  const std::string_view line = rest.substr(0, rest.find("\r\n"));
  const std::string_view version = line.substr(line.rfind(' ') + 1);
  if (error == http::error::bad_version && version.size() == 8 && version.starts_with("HTTP/") && version != "HTTP/1.1")
    return {505, "version_not_supported", "this server supports HTTP/1.1 and HTTP/1.0"};
  return bad("the request is not HTTP: " + error.message());
}

}  // namespace quarto::serve
