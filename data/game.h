// One game of self-play: its moves, and what is learned from it.
#pragma once

#include <cstdint>
#include <vector>

#include "data/sample.h"
#include "env/position.h"

namespace quarto {

struct GameRecord {
  std::uint64_t number = 0;
  Position start;  // the empty board, or a random position (SelfPlayConfig::random_starts)
  std::vector<Move> moves;
  // One for each position that was searched in full, in order. The outcome of each is the first value that was proven
  // from its position on, else `result`; after a proof the players may have thrown it away (SelfPlayConfig::explore).
  std::vector<Sample> samples;
  Value result = Value::draw;  // for the player to act at the end; after a complete game, the one who placed last

  friend bool operator==(const GameRecord&, const GameRecord&) = default;
};

}  // namespace quarto
