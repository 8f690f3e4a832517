// The text formats of positions, moves and games. They are fixed; see docs/formats.md.
//
//   ..../2F.A/E9../.8B3 -     rows 1 to 4 joined by '/', '.' for an empty square, a blank, the piece in hand or '-'
//   b3   C                    a place is its square, a give its piece
//   0 a1 7 c2                 a game is its moves in order, from the empty board
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "env/position.h"

namespace quarto {

// What was wrong with a text: `what()` names the character (counted from 1), what stands there, and what was expected.
class NotationError : public std::runtime_error {
 public:
  NotationError(std::size_t column, const std::string& message);
  // 1-based; one past the end when the text stops too early.
  std::size_t column() const { return column_; }

 private:
  std::size_t column_;
};

Position parse_position(std::string_view text, Rules rules = Rules::lines);  // throws NotationError
std::string to_string(const Position& position);

Square parse_square(std::string_view text);  // "a1".."d4"; throws NotationError
Piece parse_piece(std::string_view text);    // one hex digit, either case; throws NotationError
Move parse_move(std::string_view text, Phase phase);
std::string to_string(Square s);
std::string to_string(Piece p);
std::string to_string(Move m);

// Plays a game from the empty board; throws NotationError at the first illegal or malformed move.
std::vector<Move> parse_game(std::string_view text, Rules rules = Rules::lines);
std::string to_string(const std::vector<Move>& game);

Rules parse_rules(std::string_view text);  // a name; throws std::invalid_argument
std::string to_string(Rules rules);        // the name
std::string rules_in_words();              // every name: "'lines' or 'squares'"
std::string to_string(Phase phase);
std::string to_string(Value value);  // "win", "draw", "loss"

}  // namespace quarto
