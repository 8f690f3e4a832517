// serve: the HTTP server
// Uses: base, env, solver, mcts, light, play, cli.
// Promises: Every request gets a reply, or its connection is closed. No request makes the server compute, wait or
// store more than the configured limits. The answers are those of the other parts for the same network and the same
// limits.
//
//     http.h        the server: sockets, threads, replies
//       listener.h  bind, listen, accept              connection.h  reads requests within limits, closes in order
//       head.h      request line and headers          reply.h       replies as bytes
//       pool.h      a thread for each connection      wake.h        ends a poll() from another thread
//     service.h     from a request to a reply: the table of endpoints, jobs, the page. No sockets; most tests use this
//     api.h         the JSON of moves, analyses, evaluations: reading, checking, computing; kinds.h: their table
//     jobs.h        a bounded queue and the threads that compute
//     site.h        the files of a web page          host.h        names in Host headers
//     metrics.h     counters in Prometheus's text format
//     command.h     the options of `quartozero serve`
//
// This header: errors, and reading untrusted JSON.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_library.h"

namespace quarto::serve {

using Json = nlohmann::ordered_json;  // keeps the order of insertion

// A request that is refused. `code` is for programs, the message for people. `field` is the invalid field, "" if there
// is no single one. A job's error is copied from thread to thread: copies of a std::runtime_error would share their
// text, by a count in the standard library that the thread sanitizer does not see.
class RequestError : public std::exception {
 public:
  RequestError(int status, std::string code, std::string message, std::string field = "")
      : status_(status), code_(std::move(code)), message_(std::move(message)), field_(std::move(field)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  int status() const { return status_; }
  const std::string& code() const { return code_; }
  const std::string& field() const { return field_; }

 private:
  int status_;
  std::string code_, message_, field_;
};

RequestError invalid(const std::string& field, const std::string& message);

// {"error": {"code", "message", "field"}}; without `field` if it is "".
Json error_body(const RequestError& error);
// JSON text and a newline. Invalid UTF-8, which messages may quote from requests, becomes U+FFFD.
std::string to_text(const Json& json);
// To six decimals: a network's outputs are less precise than that.
double rounded(double x);
// For messages: in quotes, shortened, without control characters.
std::string in_quotes(std::string_view text);

inline constexpr int kMostDepth = 8;  // of nested arrays and objects; requests need 2

// Parses exactly one value, nested at most kMostDepth deep, without repeated names in an object. Throws RequestError
// 400.
nlohmann::json parse_body(std::string_view text);

// Typed access to the fields of an object. Every function throws RequestError 400, with the field's name, if a field is
// invalid.
class Fields {
 public:
  // Throws if the object has a field that is not in `names`; the message suggests the nearest name. Keeps a reference
  // to the object. "sims" is accepted for "simulations", as the command line and the line protocol have it.
  Fields(const nlohmann::json& object, std::vector<std::string> names);

  bool has(const std::string& name) const { return find(name) != nullptr; }
  std::optional<std::string> text(const std::string& name, std::size_t most_bytes) const;
  std::optional<std::int64_t> whole(const std::string& name, std::int64_t least, std::int64_t most) const;
  std::optional<bool> flag(const std::string& name) const;
  // An array of 1 to `most` strings.
  std::optional<std::vector<std::string>> texts(const std::string& name, std::size_t most,
                                                std::size_t most_bytes) const;

 private:
  const nlohmann::json* find(const std::string& name) const;  // null if absent; a JSON null counts as absent

  const nlohmann::json& object_;
};

}  // namespace quarto::serve
