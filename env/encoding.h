// What a network sees of a position: kPlanes planes of 4x4, every entry 0 or 1, in the order
//
//   0        the square is empty
//   1..4     the piece here has attribute 0..3
//   5..8     the piece here lacks attribute 0..3
//   9..12    the piece in hand has attribute 0..3     (the same on all squares; zero when giving)
//   13..16   the piece in hand lacks attribute 0..3   (likewise)
//   17       a piece is in hand: the phase is `place` (the same on all squares)
//   18..33   piece 0..15 is available to be given     (the same on all squares)
//
// A symmetry of the game permutes squares and planes, and nothing else: encode(g position) = g encode(position).
// The rules are not encoded: a network is trained for one rule set.
#pragma once

#include <array>
#include <span>

#include "env/position.h"
#include "env/symmetry.h"

namespace quarto {

struct Planes {
  static constexpr int kEmpty = 0;
  static constexpr int kHas = 1;
  static constexpr int kLacks = kHas + kAttributes;
  static constexpr int kHandHas = kLacks + kAttributes;
  static constexpr int kHandLacks = kHandHas + kAttributes;
  static constexpr int kPlacing = kHandLacks + kAttributes;
  static constexpr int kAvailable = kPlacing + 1;
};
inline constexpr int kPlanes = Planes::kAvailable + kPieces;
inline constexpr int kInputSize = kPlanes * kSquares;

// Row-major [plane][square]: the layout of a 4x4 image with kPlanes channels.
using Input = std::array<float, kInputSize>;

// Writes kInputSize floats to `out`; throws std::invalid_argument if it is shorter.
void encode(const Position& position, std::span<float> out);
Input encode(const Position& position);

// The same, a bit for a number: bit s of out[plane] is the entry of that plane at square s. What is sent to a GPU: 68
// bytes instead of 2176. Throws std::invalid_argument if `out` is shorter than kPlanes.
void encode_bits(const Position& position, std::span<Mask> out);

Input apply(Symmetry g, const Input& input, Rules rules);

}  // namespace quarto
