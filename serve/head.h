// The first part of an HTTP request, as bytes from anywhere: checked before anything is made of it.
//
// Stricter than HTTP has to be, since nothing honest needs more: lines end in CR LF, no header is folded, bodies come
// with their length (no chunks) and are not compressed. What two programs could read in two ways is refused.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "serve/request.h"

namespace quarto::serve {

inline constexpr std::size_t kMostHeadBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMostHeaderBytes = 8000;  // of one; longer ones the library does not read
inline constexpr std::size_t kMostTargetBytes = 2048;
inline constexpr int kMostHeaders = 100;

struct Head {
  std::string method, target, version;
  std::string host{}, content_type{}, if_none_match{};
  std::size_t body_bytes = 0;
  bool close = false;             // the client wants the connection closed after the reply
  bool expects_continue = false;  // it waits to be told before it sends the body

  // The same request with nothing in it but what is above, and without what follows a '?'.
  std::string text() const;
};

// `text` begins with the request line and ends with the blank line. Throws RequestError: 400, or 411, 413, 414, 415,
// 431, 501 or 505 where HTTP has a number for what is wrong.
Head parse_head(std::string_view text, std::size_t most_body_bytes);

}  // namespace quarto::serve
