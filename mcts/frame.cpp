#include "mcts/frame.h"

#include <numeric>

namespace quarto {

Frame::Frame() {
  for (Map& map : to_searched_) std::iota(map.begin(), map.end(), std::uint8_t{0});
  to_game_ = to_searched_;
}

Frame::Frame(Symmetry g, Rules rules) {
  for (const Phase phase : {Phase::place, Phase::give}) {
    for (std::uint8_t i = 0; i < kMoves; ++i) {
      const Move image = apply(g, Move{phase, i}, rules);
      to_searched_[at(phase)][i] = image.index;
      to_game_[at(phase)][image.index] = i;
    }
  }
}

}  // namespace quarto
