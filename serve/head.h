// The head of an HTTP request: request line and headers.
//
// The parser accepts less than HTTP permits. Lines end in CR LF, headers are not folded, the target is a path (no
// absolute form), a body has a Content-Length (no chunks) and is not compressed. Ambiguous requests, which two programs
// could read differently, are refused.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "serve/request.h"

namespace quarto::serve {

inline constexpr std::size_t kMostHeadBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMostHeaderBytes = 8000;  // of one line
inline constexpr std::size_t kMostTargetBytes = 2048;
inline constexpr int kMostHeaders = 100;

struct Head {
  std::string method;
  std::string target;      // as it was sent
  std::string path;        // of the target, percent-decoded; without the query
  bool has_query = false;  // the target has a '?'
  std::string version;
  std::string host{}, content_type{}, if_none_match{};
  std::size_t body_bytes = 0;
  bool close = false;             // the client asks to close the connection after the reply
  bool expects_continue = false;  // the client waits for a 100 before it sends the body
};

// `text` begins with the request line and ends with the blank line. Throws RequestError with status 411, 413, 414, 415,
// 417, 431, 501 or 505 where one of them applies, else 400.
Head parse_head(std::string_view text, std::size_t most_body_bytes);

}  // namespace quarto::serve
