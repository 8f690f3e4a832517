// What an HTTP request must be beyond what Boost.Beast's parser checks, and its form for the service.
#pragma once

#include <boost/beast/http/message.hpp>

#include "serve/service.h"

namespace quarto::serve {

inline constexpr std::size_t kMostHeadBytes = std::size_t{16} << 10;
inline constexpr std::size_t kMostHeaderBytes = 8000;  // of one line
inline constexpr std::size_t kMostTargetBytes = 2048;
inline constexpr int kMostHeaders = 100;

// Throws RequestError with status 414, 415, 417, 431 or 501 where one of them applies, else 400. Ambiguous
// requests, which two programs could read differently, are refused. The body is not there yet.
Request checked_head(const boost::beast::http::request_header<>& head);

// For an error of the parser after it has read `head` so far; `rest` is what it has not taken.
RequestError parser_error(const boost::system::error_code& error, const boost::beast::http::request_header<>& head,
                          std::string_view rest);

}  // namespace quarto::serve
