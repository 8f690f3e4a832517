// Requests to every endpoint: the first line is method and path, the rest the body.
#include "serve/service.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  static serve::Service service({}, {}, [] {
    serve::ServiceOptions options;
    options.limits.simulations = 20;
    options.limits.seconds = options.limits.job_seconds = 0.05;
    options.limits.positions = 4;
    options.limits.table_mib = 1;
    options.queue = 4;
    return options;
  }());
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const std::string_view first = text.substr(0, line);
  const std::size_t blank = first.find(' ');
  if (blank == std::string_view::npos) return 0;
  const serve::Reply reply = service.handle({.method = std::string(first.substr(0, blank)),
                                             .path = std::string(first.substr(blank + 1)),
                                             .body = std::string(text.substr(line + 1)),
                                             .content_type = "application/json",
                                             .host = "localhost"});
  fuzz::require(reply.status >= 200 && reply.status < 600);
  return 0;
}
