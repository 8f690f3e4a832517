// Ladders on disk, and the results of their shares.
#include "eval/round_robin.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  const std::string text(fuzz::text_of(data, size));
  try {
    const RoundRobin ladder = parse_round_robin(text);
    fuzz::require(is_round_robin(text));
    const std::string written = to_text(ladder);
    fuzz::require(to_text(parse_round_robin(written)) == written);
  } catch (const RoundRobinError&) {
  }
  static const RoundRobin two{.players = {"oneply", "random"}, .games = 2};
  static const std::string input = R"({"a": "oneply", "b": "random"})";
  try {
    fuzz::require(pairing_of_share(input, two, text).pairs.size() == 1);
  } catch (const RoundRobinError&) {
  }
  try {
    fuzz::require(pairing_of_input(text, two).first != pairing_of_input(text, two).second);
  } catch (const RoundRobinError&) {
  }
  return 0;
}
