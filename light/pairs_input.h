// The input of the pairs network (docs/networks.md), computed from the bitboards.
//
// n squares are empty, and n pieces are not on the board (including the piece in hand); the numbers are equal. Rows are
// the pieces, columns the squares, both ascending. A *pair* is one of the n * n cells. Everything here is the same for
// all images of the position, up to the order of rows, columns and attribute values, and the names of the pieces.
#pragma once

#include <array>
#include <cstdint>

#include "env/attribute_values.h"
#include "env/position.h"
#include "light/pairs_constants.h"

namespace quarto::light {

inline constexpr int kMostPairs = kPieces * kSquares;
inline constexpr int kMostLines = kMostWinningSets;
inline constexpr int kMostAlive = kMostLines * kAttributeValues;

struct PairsInput {
  int n = 0;
  bool placing = false;
  int hand = -1;                                  // the row of the piece in hand, or -1
  int safe = 0;                                   // number of pieces whose give does not lose at once
  std::array<std::uint8_t, kPieces> pieces;       // by row
  std::array<std::uint8_t, kSquares> squares;     // by column
  std::array<std::uint8_t, kPieces> loses;        // by row: 1 if the receiver of this piece wins at once
  std::array<std::uint8_t, kMostPairs> category;  // [row * n + column]
  std::array<Mask, kMostPairs> given;             // the pieces counted by a category of 1 to 15; else empty

  // Lines with an empty square; the empty squares are columns.
  struct Line {
    std::uint8_t which;  // index into winning_sets()
    std::uint8_t columns = 0;
    std::array<std::uint8_t, kSide> column;
  };
  int lines = 0;
  std::array<Line, kMostLines> line;
  // A line is alive for an attribute value while only pieces with that value stand on it.
  struct Alive {
    std::uint8_t line, attribute_value, state;  // index into `line`; attribute value; pieces on it, 0..3
  };
  int alive_count = 0;
  std::array<Alive, kMostAlive> alive;

  // The position must not be terminal.
  explicit PairsInput(const Position& position);

  // The attribute values that each line is alive for.
  std::array<AttributeValues, kMostLines> values_by_line() const;
};

}  // namespace quarto::light
