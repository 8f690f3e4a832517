// Configuration files, with the settings of a search.
#include "base/config.h"

#include "mcts/config.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  SearchConfig search;
  try {
    config::load_yaml(fuzz::text_of(data, size), "input", config::visitor_of(search));
    SearchConfig again;
    config::load_yaml(config::to_yaml(config::visitor_of(search)), "again", config::visitor_of(again));
  } catch (const ConfigError&) {
  }
  return 0;
}
