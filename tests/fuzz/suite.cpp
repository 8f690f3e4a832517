// Suites: positions with exact values.
#include "data/suite.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  try {
    const auto entries = parse_suite(fuzz::text_of(data, size), "input");
    const auto again = parse_suite(to_string(entries), "again");
    fuzz::require(again.size() == entries.size());
    for (const SuiteEntry& entry : entries) {
      fuzz::require(!entry.position.is_terminal());
      (void)deep(entry);
    }
  } catch (const SuiteError&) {
  }
  return 0;
}
