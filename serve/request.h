// serve: the players and the solver over HTTP. Uses base, env, solver, mcts, light and embed. Promises: whatever comes
// in, an answer goes out or the connection is closed; nothing that a client sends makes the server compute, wait or
// remember more than the limits that it was started with; and the answers are those of the rest of this project for the
// same network and the same limits.
//
//     http.h       sockets, by way of cpp-httplib; connection.h and head.h read and check a request before it does
//     service.h    a request to a reply: paths, methods, jobs, the page. No sockets: what the tests talk to
//     api.h        the JSON of a move, an analysis, an evaluation: reading it, checking it, computing the answer
//     jobs.h       a bounded queue and the threads that compute
//     metrics.h    what is counted, in Prometheus's text format
//     command.h    the options of `quarto serve`
//
// This header: reading JSON that may be anything.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace quarto::serve {

using Json = nlohmann::ordered_json;  // answers keep the order in which they are written

// A request that cannot be answered. `code` is for programs, the message for people; `field` names what was wrong with,
// "" if it is the request as a whole.
class RequestError : public std::runtime_error {
 public:
  RequestError(int status, std::string code, const std::string& message, std::string field = "")
      : std::runtime_error(message), status_(status), code_(std::move(code)), field_(std::move(field)) {}
  int status() const { return status_; }
  const std::string& code() const { return code_; }
  const std::string& field() const { return field_; }

 private:
  int status_;
  std::string code_, field_;
};

// {"error": {"code", "message", "field"}}, the field only where there is one.
Json error_body(const RequestError& error);
// JSON as text. Bytes that are not UTF-8 (they come from requests that are quoted in messages) become U+FFFD.
std::string to_text(const Json& json);
// For messages: in quotes, cut short, control characters left out.
std::string in_quotes(std::string_view text);

inline constexpr int kMostDepth = 8;  // of nested arrays and objects; no request needs more than 3

// Strict: one value and nothing after it, nested at most kMostDepth deep, no name twice in an object. Throws
// RequestError 400.
nlohmann::json parse_json(std::string_view text);

// The fields of an object, each checked as it is read. All throw RequestError 400 that names the field.
class Fields {
 public:
  // A name that is not in `names` is an error, which names the nearest one. The object must outlive this.
  Fields(const nlohmann::json& object, std::vector<std::string> names);

  bool has(const std::string& name) const { return find(name) != nullptr; }
  std::optional<std::string> text(const std::string& name, std::size_t most_bytes) const;
  std::optional<std::int64_t> whole(const std::string& name, std::int64_t least, std::int64_t most) const;
  std::optional<bool> flag(const std::string& name) const;
  // The texts of an array of 1 to `most`.
  std::optional<std::vector<std::string>> texts(const std::string& name, std::size_t most,
                                                std::size_t most_bytes) const;

 private:
  const nlohmann::json* find(const std::string& name) const;  // null is as good as absent

  const nlohmann::json& object_;
};

}  // namespace quarto::serve
