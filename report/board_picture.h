// A position as a small SVG drawing. Every attribute of a piece has a sign of its own, and none depends on telling hues
// apart:
//
//     dark    dark fill           light   light fill
//     tall    large               short   small
//     round   a circle            square  a square
//     solid   nothing on it       hollow  a ring in the middle
#pragma once

#include <array>
#include <optional>
#include <string>

#include "env/position.h"

namespace quarto {

// What is to be said of the position's moves; by Move::index, and only legal ones are looked at.
struct MoveNotes {
  std::array<std::optional<Value>, kMoves> values{};          // exact, for the player to act
  std::array<std::optional<double>, kMoves> probabilities{};  // 0..1
  std::optional<Move> chosen{};                               // marked by a frame
};

// <svg>...</svg>, 300 units wide: the board; below it the piece in hand, or the pieces that may be given. Under each
// move stand its probability in percent and the letter of its value (W, D, L); moves that keep the best value are set
// in bold and underlined. Fixed colours, fit for light and dark pages. `title` is plain text, for screen readers.
std::string board_svg(const Position& position, const MoveNotes& notes, const std::string& title);

// A drawing of the sixteen pieces with their digits: the legend.
std::string pieces_svg();

}  // namespace quarto
