// Draws a board for a terminal. Each piece shows its four attributes and its digit:
//
//     ╭───╮      tall: three rows, short: two          solid: filled, hollow: empty
//     ( 6 )      round: ( ) and curved corners          square: [ ] and sharp corners
//     ╰───╯      light: thin outline, yellow            dark: heavy outline, blue
//
// Every attribute is visible without colour.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "env/position.h"

namespace quarto::app {

struct DrawStyle {
  bool unicode = true;
  bool colour = false;
};
// Unicode if the locale's character set is UTF-8. Colour if standard output is a terminal and NO_COLOR is not set.
DrawStyle default_style();

inline constexpr int kPieceWidth = 5, kPieceHeight = 3;
// Three rows, each kPieceWidth columns wide on the screen.
std::vector<std::string> draw_piece(Piece piece, const DrawStyle& style);

// The board with its coordinates. A dot marks `last`. The squares of a finished line have marked corners and reverse
// colours.
std::vector<std::string> draw_board(const Position& position, std::optional<Square> last, const DrawStyle& style);

// The available pieces, each in a fixed place, two rows of eight.
std::vector<std::string> draw_available(const Position& position, const DrawStyle& style);

// "dark, tall, round, solid"
std::string describe(Piece piece);

}  // namespace quarto::app
