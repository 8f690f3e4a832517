#include "env/encoding.h"

#include <algorithm>
#include <stdexcept>

namespace quarto {
namespace {

void fill_plane(std::span<float> out, int plane, Mask squares) {
  for (const int s : BitsOf(squares)) out[static_cast<std::size_t>(plane * kSquares + s)] = 1.0F;
}

// Where a plane's contents go under a piece symmetry.
int image_of_plane(Symmetry g, int plane) {
  const PieceSymmetry& pieces = piece_symmetries()[g.piece];
  const auto attribute = [&](int has, int lacks) {
    const bool is_has = plane < lacks;
    const int to = pieces.to[static_cast<std::size_t>(plane - (is_has ? has : lacks))];
    const bool flipped = (pieces.flip >> to) & 1;
    return (is_has != flipped ? has : lacks) + to;
  };
  if (plane >= Planes::kAvailable) return Planes::kAvailable + index(apply(g, piece(plane - Planes::kAvailable)));
  if (plane >= Planes::kPlacing) return plane;
  if (plane >= Planes::kHandHas) return attribute(Planes::kHandHas, Planes::kHandLacks);
  if (plane >= Planes::kHas) return attribute(Planes::kHas, Planes::kLacks);
  return plane;
}

}  // namespace

void encode_bits(const Position& position, std::span<Mask> out) {
  if (out.size() < kPlanes) throw std::invalid_argument("encode_bits: the output span is shorter than kPlanes");
  const auto plane = [&](int p) -> Mask& { return out[static_cast<std::size_t>(p)]; };
  std::fill_n(out.begin(), kPlanes, Mask{0});
  plane(Planes::kEmpty) = position.empty();
  for (int i = 0; i < kAttributes; ++i) {
    const Mask has = bitboard(position.attributes(), i);
    plane(Planes::kHas + i) = has;
    plane(Planes::kLacks + i) = static_cast<Mask>(position.occupied() & ~has);
  }
  if (position.has_hand()) {
    const unsigned hand = static_cast<unsigned>(index(position.hand()));
    for (int i = 0; i < kAttributes; ++i)
      plane(((hand >> i) & 1U ? Planes::kHandHas : Planes::kHandLacks) + i) = 0xFFFF;
    plane(Planes::kPlacing) = 0xFFFF;
  }
  for (const int p : BitsOf(position.available())) plane(Planes::kAvailable + p) = 0xFFFF;
}

void encode(const Position& position, std::span<float> out) {
  if (out.size() < kInputSize) throw std::invalid_argument("encode: the output span is shorter than kInputSize");
  std::array<Mask, kPlanes> bits;
  encode_bits(position, bits);
  std::fill_n(out.begin(), kInputSize, 0.0F);
  for (int plane = 0; plane < kPlanes; ++plane) fill_plane(out, plane, bits[static_cast<std::size_t>(plane)]);
}

Input encode(const Position& position) {
  Input input;
  encode(position, input);
  return input;
}

Input apply(Symmetry g, const Input& input, Rules rules) {
  const BoardSymmetry& board = board_symmetries(rules)[g.board];
  Input image{};
  for (int plane = 0; plane < kPlanes; ++plane) {
    const int to = image_of_plane(g, plane);
    for (int s = 0; s < kSquares; ++s) {
      image[static_cast<std::size_t>(to * kSquares + board.to[static_cast<std::size_t>(s)])] =
          input[static_cast<std::size_t>(plane * kSquares + s)];
    }
  }
  return image;
}

}  // namespace quarto
