// The engine's protocol. Searches are made short: what they find is not the question.
#include "engine/engine.h"

#include <sstream>

#include "light/load.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  std::istringstream text{std::string(fuzz::text_of(data, size))};
  std::string lines;
  for (std::string line; std::getline(text, line);) {
    // A search takes as long as it is told to.
    lines += line.starts_with("go") ? "go sims 3\n" : line + '\n';
  }
  std::istringstream in(lines);
  std::ostringstream out;
  engine::run(in, out, {.load = load_light_network});
  return 0;
}
