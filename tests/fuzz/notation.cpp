// Positions, games and moves as text. What is accepted is written back as the same text.
#include "env/notation.h"

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  if (size == 0) return 0;
  const Rules rules = data[0] % 2 ? Rules::lines : Rules::squares;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  try {
    const Position p = parse_position(text, rules);
    fuzz::require(parse_position(to_string(p), rules) == p);
  } catch (const NotationError&) {
  }
  try {
    const auto game = parse_game(text, rules);
    fuzz::require(parse_game(to_string(game), rules) == game);
  } catch (const NotationError&) {
  }
  for (const Phase phase : {Phase::place, Phase::give}) {
    try {
      fuzz::require(to_string(parse_move(text, phase)).size() == text.size());
    } catch (const NotationError&) {
    }
  }
  return 0;
}
