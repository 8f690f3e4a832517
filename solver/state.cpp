#include "solver/state.h"

#include <algorithm>

namespace quarto::solver {

template <Rules kRules>
Geometry<kRules>::Geometry() : set_images(smallest_set_images(kRules)), enough(1 << kPieces) {
  for (auto& of_register : lines_of) of_register.fill(splat(0x80));
  for (std::size_t s = 0; s < kSquares; ++s) {
    std::array<std::size_t, kRegisters> count{};
    for (std::size_t l = 0; l < kLineCount; ++l) {
      if (!(line(static_cast<int>(l)) >> s & 1)) continue;
      through[s].set(l, 0xFF);
      lines_of[l / 16][count[l / 16]++][s] = static_cast<std::uint8_t>(l % 16);
    }
  }
  for (std::size_t part = 0; part < squares_part.size(); ++part) {
    for (std::size_t set = 0; set < squares_part[part].size(); ++set) {
      Mask squares = 0;
      for (int i = 0; i < kPartBits; ++i) {
        const int l = kPartBits * static_cast<int>(part) + i;
        if (((set >> i) & 1U) && l < kLineCount) squares |= line(l);
      }
      squares_part[part][set] = squares;
    }
  }
  for (const BoardSymmetry& g : board_symmetries(kRules)) {
    Rearrangement<kRegisters> images;
    for (auto& row : images.index) row.fill(splat(0x80));
    for (int l = 0; l < kLineCount; ++l) {
      int image = 0;
      while (line(image) != g.apply(line(l))) ++image;
      images.index[static_cast<std::size_t>(image / 16)][static_cast<std::size_t>(l / 16)][image % 16] =
          static_cast<std::uint8_t>(l % 16);
    }
    line_images.push_back(images);
  }
  for (unsigned left = 0; left < enough.size(); ++left) {
    for (int value = 0; value < 8; ++value) {
      const int count = std::popcount(left & kPiecesWithAny[1U << value]);
      for (int g = 1; g <= std::min(count, 4); ++g) enough[left] |= 1U << (8 * (g - 1) + value);
    }
  }
}

template <Rules kRules>
const Geometry<kRules>& Geometry<kRules>::get() {
  static const Geometry geometry;
  return geometry;
}

template <Rules kRules>
State<kRules> State<kRules>::of(const Position& position) {
  State state;
  state.empty = position.empty();
  state.left = position.available();
  for (int l = 0; l < Geometry<kRules>::kLineCount; ++l) {
    const Mask line = Geometry<kRules>::line(l);
    unsigned alive = 0xFF;
    for (const int s : BitsOf(static_cast<Mask>(line & position.occupied()))) {
      alive &= kAttributeValueSetOf[static_cast<std::size_t>(index(position.piece_at(square(s))))];
    }
    state.alive.set(static_cast<std::size_t>(l), static_cast<std::uint8_t>(alive));
    state.gaps.set(static_cast<std::size_t>(l), static_cast<std::uint8_t>(std::popcount<Mask>(line & state.empty)));
  }
  return state;
}

#define QUARTO_ROW(name, ...)            \
  template struct Geometry<Rules::name>; \
  template struct State<Rules::name>;
QUARTO_RULE_SETS(QUARTO_ROW)
#undef QUARTO_ROW

}  // namespace quarto::solver
