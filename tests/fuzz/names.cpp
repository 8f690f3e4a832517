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
    const PlayerSpec spec = parse_player(text), inner = parse_inner_player(text);
    fuzz::require(names_engine(text) == std::holds_alternative<spec::Engine>(spec));
    const auto wraps = [](const PlayerSpec& s) {
      return std::holds_alternative<spec::Endgame>(s) || std::holds_alternative<spec::Careless>(s);
    };
    fuzz::require(!wraps(inner) && (wraps(spec) || inner.index() == spec.index()));
    fuzz::require(guess_seconds(spec) > 0);
    if (const auto network = network_of(text)) {
      fuzz::require(!network->path.empty() && network->search.simulations >= 0);
      fuzz::require(network->search.proof_nodes.value_or(0) >= 0);
    }
  } catch (const PlayerError&) {
  }
  return 0;
}
