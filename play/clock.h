// Time for a whole game: how much of it one decision may take, and from where on exact play is affordable.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "env/position.h"

namespace quarto {

// What one player has for the rest of the game. Gives and places both cost time; each adds the increment afterwards.
struct GameClock {
  std::chrono::milliseconds left{0};
  std::chrono::milliseconds increment{0};

  // After a decision that took `spent`. Below zero: the player has lost on time.
  void spend(std::chrono::nanoseconds spent) {
    left -= std::chrono::ceil<std::chrono::milliseconds>(spent);
    if (left.count() >= 0) left += increment;
  }
  bool flag_fallen() const { return left.count() < 0; }
};

struct MoveBudget {
  std::chrono::milliseconds time{1};  // for this decision, at least 1 ms
  int exact_squares = 0;              // solve from so many empty squares on
};

// The budget of one decision in `position`, which must not be terminal.
//
// A player has about as many decisions left as squares are empty. Those with at most eight empty squares cost next to
// nothing, because exact play takes over: earlier decisions leave them little. A reserve of a tenth, and of 20 ms for
// each decision left where there is so much, is not planned with: it pays for what a busy machine adds. Exact play
// begins where solving all moves takes at most half of the budget in nine of ten positions.
MoveBudget budget_of(const Position& position, const GameClock& clock);

// "60" or "60+0.5": seconds for the game, seconds added after each decision. Throws std::invalid_argument with a
// message for the user.
GameClock parse_clock(std::string_view text);
std::string to_string(const GameClock& clock);

}  // namespace quarto
