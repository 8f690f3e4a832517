// The head of HTTP requests.
#include "serve/head.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  const std::string text(fuzz::text_of(data, size));
  for (const std::string& head : {text, text + "\r\n\r\n"}) {
    try {
      const serve::Head parsed = serve::parse_head(head, 65536);
      fuzz::require(parsed.body_bytes <= 65536 && parsed.path.starts_with('/'));
    } catch (const serve::RequestError&) {
    }
  }
  return 0;
}
