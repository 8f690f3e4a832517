// The two names of a move: in the game, and in the image of the game's position that is searched.
#pragma once

#include <array>
#include <cstdint>

#include "env/symmetry.h"

namespace quarto {

class Frame {
 public:
  // The searched position is the game's own.
  Frame();
  // `g` takes the game's position to the searched one.
  Frame(Symmetry g, Rules rules);

  Move searched(Move game_move) const { return {game_move.phase, to_searched_[at(game_move.phase)][game_move.index]}; }
  Move game(Move searched_move) const {
    return {searched_move.phase, to_game_[at(searched_move.phase)][searched_move.index]};
  }

 private:
  using Map = std::array<std::uint8_t, kMoves>;
  static constexpr std::size_t at(Phase phase) { return phase == Phase::place ? 0 : 1; }
  std::array<Map, 2> to_searched_, to_game_;
};

}  // namespace quarto
