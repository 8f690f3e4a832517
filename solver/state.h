// The solver's state: for a board with no piece in hand, the lines that can still be completed, and by which attribute
// values.
//
// For each line one byte holds the attribute values (env/attribute_values.h) that all its pieces share: the line is
// alive for these. An empty line is alive for all eight. Two registers with a byte for each line, the empty squares and
// the pieces left determine the rest of the game:
//
//     alive   a byte of values per line         placing a piece:  alive &= its values, on lines through s
//     gaps    number of empty squares per line                    gaps  -= 1 on lines through s
//     empty   16 bits                                             empty -= s
//     left    16 bits, as many as empty squares
//
// Giving a piece loses at once if a line with one gap is alive for one of its values. A line that needs more pieces
// with a value than are left can never be completed with it. Such values are trimmed: cleared from `alive`.
//
// Different boards often have the same state; canonical.h uses this.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "env/attribute_values.h"
#include "env/lines.h"
#include "env/position.h"
#include "env/symmetry.h"
#include "solver/line_bytes.h"

namespace quarto::solver {

// The lines of one rule set.
template <Rules kRules>
struct Geometry {
  static constexpr int kLineCount = rule_set(kRules).size();
  static constexpr int kRegisters = (kLineCount + 15) / 16;
  using Bytes = LineBytes<kRegisters>;

  // The most lines through a square among those of each register.
  static constexpr std::array<int, kRegisters> kMostThrough = [] {
    std::array<int, kRegisters> most{};
    for (int s = 0; s < kSquares; ++s) {
      std::array<int, kRegisters> count{};
      for (int l = 0; l < kLineCount; ++l)
        count[static_cast<std::size_t>(l / 16)] += winning_sets(kRules)[static_cast<std::size_t>(l)] >> s & 1;
      for (std::size_t r = 0; r < most.size(); ++r) most[r] = std::max(most[r], count[r]);
    }
    return most;
  }();

  std::array<Bytes, kSquares> through;                 // all ones on the lines through a square: both a mask and a "-1"
  std::vector<Rearrangement<kRegisters>> line_images;  // one per board symmetry
  // [register][k]: for each square its k-th line in that register, 0x80 where there are no more.
  std::array<std::array<Bytes16, kSquares>, kRegisters> lines_of;
  static constexpr int kPartBits = 10;
  // The union of lines, for ten lines at a time.
  std::array<std::array<Mask, 1 << kPartBits>, (kLineCount + kPartBits - 1) / kPartBits> squares_part;
  const SmallestSetImages& set_images;
  std::vector<std::uint32_t>
      enough;  // for every set of pieces: byte g-1 has the attribute values of at least g of them

  static const Geometry& get();
  static constexpr Mask line(int l) { return winning_sets(kRules)[static_cast<std::size_t>(l)]; }

  Mask squares_on(std::uint32_t lines) const {
    Mask squares = squares_part[0][lines & ((1U << kPartBits) - 1)];
    for (std::size_t part = 1; part < squares_part.size(); ++part) {
      squares =
          static_cast<Mask>(squares | squares_part[part][(lines >> (kPartBits * part)) & ((1U << kPartBits) - 1)]);
    }
    return squares;
  }
  // For each square the union of the bytes of its lines.
  Bytes16 by_square(const Bytes& x) const {
    Bytes16 squares{};
    for (std::size_t r = 0; r < x.part.size(); ++r) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(kMostThrough[r]); ++k)
        squares |= look_up(x.part[r], lines_of[r][k]);
    }
    return squares;
  }
  // A table from the number of gaps in a line to the attribute values that enough pieces left have to fill them. Empty
  // for 0 gaps: a full line can never be completed.
  Bytes16 fillable(Mask left) const {
    const std::array<std::uint64_t, 2> words = {static_cast<std::uint64_t>(enough[left]) << 8, 0};
    return std::bit_cast<Bytes16>(words);
  }

 private:
  Geometry();
};

template <Rules kRules>
struct State {
  using Lines = typename Geometry<kRules>::Bytes;
  Lines alive, gaps;
  Mask empty = 0, left = 0;

  // From a position without a winner. A piece in hand counts as neither on the board nor left.
  static State of(const Position& position);

  // The pieces that would lose at once if given.
  Mask losing() const { return static_cast<Mask>(kPiecesWithAny[(alive & gaps.equal_to(1)).any()] & left); }
  Mask safe() const { return static_cast<Mask>(left & ~losing()); }
  bool dead() const { return alive.any() == 0; }
  void trim(const Geometry<kRules>& geometry) { alive = alive & gaps.through(geometry.fillable(left)); }
};

// A piece to be placed on the squares of a state.
template <Rules kRules>
class Placement {
 public:
  Placement(const State<kRules>& before, Piece piece, const Geometry<kRules>& geometry)
      : before_(before),
        left_(static_cast<Mask>(before.left & ~bit(piece))),
        contradicted_(splat(static_cast<std::uint8_t>(~kAttributeValueSetOf[static_cast<std::size_t>(index(piece))]))),
        fillable_(geometry.fillable(left_)) {}

  Mask empty() const { return before_.empty; }

  // The state after placing it on s, if it completes no line there.
  State<kRules> on(int s, const Geometry<kRules>& geometry) const {
    const auto& through = geometry.through[static_cast<std::size_t>(s)];
    State<kRules> after;
    after.gaps = before_.gaps + through;
    after.alive = before_.alive & ~(through & contradicted_);
    after.empty = static_cast<Mask>(before_.empty & ~(1U << s));
    after.left = left_;
    return after;
  }
  // The same, trimmed.
  State<kRules> trimmed_on(int s, const Geometry<kRules>& geometry) const {
    State<kRules> after = on(s, geometry);
    after.alive = after.alive & after.gaps.through(fillable_);
    return after;
  }

 private:
  const State<kRules>& before_;
  Mask left_;
  Bytes16 contradicted_, fillable_;
};

}  // namespace quarto::solver
