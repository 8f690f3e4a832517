// The symmetries of the game. Board: every permutation of the squares that maps the set of winning lines to itself (32
// for Rules::lines, 8 for Rules::squares, found by enumeration; a rule set with more than 32 is refused). Pieces: any
// order of the four attributes, and either polarity of each, 4! * 2^4 = 384. Together 12,288 for Rules::lines.
// Positions that are images of each other have the same value, and their moves correspond.
//
// All tables are built once, on first use; everything here is safe to call from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "env/position.h"

namespace quarto {

inline constexpr int kPieceSymmetries = 384;
inline constexpr int kBoardSymmetriesLines = 32;
inline constexpr std::size_t kMostBoardSymmetries = 32;  // a bit each in SmallestSetImages::reached_by
inline constexpr int kSymmetriesLines = kBoardSymmetriesLines * kPieceSymmetries;  // 12,288

// The piece on square s goes to square to[s].
struct BoardSymmetry {
  std::array<std::uint8_t, kSquares> to;
  Mask apply(Mask squares) const;
  friend bool operator==(const BoardSymmetry&, const BoardSymmetry&) = default;
};

// Attribute i becomes attribute to[i]; then the attributes in `flip` change polarity.
struct PieceSymmetry {
  std::array<std::uint8_t, kAttributes> to;
  std::uint8_t flip;
  constexpr Piece apply(Piece p) const {
    unsigned image = flip;
    for (int i = 0; i < kAttributes; ++i) image ^= ((static_cast<unsigned>(p) >> i) & 1U) << to[i];
    return piece(static_cast<int>(image));
  }
  friend bool operator==(const PieceSymmetry&, const PieceSymmetry&) = default;
};

// Index 0 is the identity in both.
std::span<const BoardSymmetry> board_symmetries(Rules rules);
std::span<const PieceSymmetry> piece_symmetries();
// The index in piece_symmetries().
std::uint16_t index_of(const PieceSymmetry& g);

// An element of the whole group: indices into the two tables above.
struct Symmetry {
  std::uint16_t board = 0;
  std::uint16_t piece = 0;
  friend bool operator==(Symmetry, Symmetry) = default;
};

// The image of a set of squares under one board symmetry by two lookups, one per byte: for inner loops.
class SquareSetImages {
 public:
  explicit SquareSetImages(const BoardSymmetry& g);
  Mask operator()(Mask squares) const {
    return static_cast<Mask>(halves_[0][squares & 0xFF] | halves_[1][squares >> 8]);
  }

 private:
  std::array<std::array<Mask, 256>, 2> halves_;
};
// One per board symmetry, in the order of board_symmetries().
std::span<const SquareSetImages> square_set_images(Rules rules);

// For every set of squares (the index): its numerically smallest image, and which board symmetries (a bit each) take it
// there, usually one to four. What canonical forms start from.
struct SmallestSetImages {
  std::vector<Mask> image;
  std::vector<std::uint32_t> reached_by;

  explicit SmallestSetImages(Rules rules);
};
const SmallestSetImages& smallest_set_images(Rules rules);

int symmetry_count(Rules rules);
// The i-th element, 0 <= i < symmetry_count(rules); the 0th is the identity.
Symmetry symmetry(int i);

// The element that does `first` and then `second`; the element that undoes `g`.
Symmetry compose(Symmetry first, Symmetry second, Rules rules);
Symmetry inverse(Symmetry g, Rules rules);

Square apply(Symmetry g, Square s, Rules rules);
Piece apply(Symmetry g, Piece p);
Move apply(Symmetry g, Move m, Rules rules);
Position apply(Symmetry g, const Position& position);

// A policy head, indexed by move: the image's entry for the image of a move is the original's entry for the move.
// Places are moved by the board part, gives by the piece part.
using PolicyHead = std::array<float, kMoves>;
PolicyHead apply(Symmetry g, const PolicyHead& head, Phase phase, Rules rules);

}  // namespace quarto
