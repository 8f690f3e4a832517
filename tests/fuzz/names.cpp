// Names of players and clocks, as a command line, a request or the page has them. A clock that is accepted is written
// so that it reads back the same, and a player's parts are in their ranges.
#include <stdexcept>

#include "play/clock.h"
#include "play/player.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  const std::string text(fuzz::text_of(data, size));
  try {
    const GameClock clock = parse_clock(text);
    fuzz::require(clock.left.count() > 0 && clock.increment.count() >= 0);
    const GameClock again = parse_clock(to_string(clock));
    fuzz::require(again.left == clock.left && again.increment == clock.increment);
  } catch (const std::invalid_argument&) {
  }
  try {
    using Kind = PlayerSpec::Kind;
    const PlayerSpec spec = parse_player(text);
    fuzz::require(spec.number >= (spec.kind == Kind::engine ? -1 : 0));
    fuzz::require(!spec.proof_nodes || *spec.proof_nodes >= 0);
    fuzz::require(names_engine(text) == (spec.kind == Kind::engine));
    const bool wraps = spec.kind == Kind::endgame || spec.kind == Kind::careless;
    const PlayerSpec inner = parse_inner_player(text);
    fuzz::require(wraps == (inner.kind != spec.kind || inner.path != spec.path));
    if (wraps) parse_player(spec.path);
    (void)checkpoint_of(text);
  } catch (const PlayerError&) {
  }
  return 0;
}
