// Values of all distinct positions of a ply. The values of one ply come from the solver or a book; those of all earlier
// plies follow without search.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "env/position.h"

namespace quarto {

struct Outcomes {
  std::size_t win = 0, draw = 0, loss = 0;
  std::size_t total() const { return win + draw + loss; }
  friend bool operator==(const Outcomes&, const Outcomes&) = default;
};
Outcomes count_outcomes(std::span<const Value> values);

// True if the piece in hand completes a line.
bool wins_at_once(const Position& position);

// The values, for the player to act, of one ply's positions from those of the next ply. `later` holds the canonical
// form of every successor (as env/census.h lists them), `values` their values in the same order. Throws
// std::out_of_range if a successor is missing.
std::vector<Value> back_up(std::span<const Position> ply, std::span<const Position> later,
                           std::span<const Value> values);

}  // namespace quarto
