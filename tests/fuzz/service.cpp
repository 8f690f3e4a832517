// Requests to every endpoint: the first line is method and path, the rest the body.
#include "base/json.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/small_service.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const std::string_view first = text.substr(0, line);
  const std::size_t blank = first.find(' ');
  if (blank == std::string_view::npos) return 0;
  const serve::Reply reply = fuzz::small_service().handle({.method = std::string(first.substr(0, blank)),
                                                           .path = std::string(first.substr(blank + 1)),
                                                           .body = std::string(text.substr(line + 1)),
                                                           .content_type = "application/json",
                                                           .host = "localhost"});
  fuzz::require(reply.status >= 200 && reply.status < 600 && reply.status != 500);
  if (reply.status < 400) return 0;
  // An error says what was wrong.
  const nlohmann::json said = json_or_null(reply.body);
  fuzz::require(said.is_object() && said.contains("error"));
  for (const char* key : {"code", "message"}) fuzz::require(!said["error"].value(key, "").empty());
  return 0;
}
