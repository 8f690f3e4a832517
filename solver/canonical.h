// A 128-bit name that is the same for all states that differ only by the naming of squares, attributes, polarities and
// indistinguishable pieces.
//
// Steps, from a trimmed state:
//   1. Squares: those on no live line are interchangeable. Only the squares on live lines are named; the number of the
//      others follows from the number of pieces left.
//   2. Board: the smallest image of the named squares under the board symmetries, from a table. The table also has the
//      symmetries that give it (usually one to four). For each of these symmetries:
//   3. Attributes: each attribute orders its two polarities by their lines, and the four attributes are sorted by their
//      lines. The smallest result over the symmetries is used.
//   4. Pieces: renamed accordingly. An attribute without a live line does not distinguish pieces, so only the number of
//      pieces in each remaining class is kept.
//
// Ties in 3 are broken by counts of pieces. Remaining ties are not resolved: then one state may have two canonical
// states, which costs a little work and gives no wrong value. States that differ in more than names never share a
// canonical state, because every step only renames. The name is a bijection of the canonical state to 128 bits (for
// rule sets with more lines, which need 184 bits or more, a hash). The table keeps only a part of the name (table.h
// states the probability of a false match).
#pragma once

#include <algorithm>

#include "base/sort_four.h"
#include "solver/state.h"

namespace quarto::solver {

struct Name {
  std::uint64_t first = 0, second = 0;
  friend bool operator==(const Name&, const Name&) = default;
};

// The relevant part of a state, after renaming.
struct CanonicalState {
  std::array<std::uint64_t, kAttributes> lines{};  // for each attribute, the live lines of its two polarities
  std::uint64_t rest = 0;                          // the named squares, the pieces left
  friend bool operator==(const CanonicalState&, const CanonicalState&) = default;
};

// The steps to apply: all, except in measurements and tests of single steps.
struct Reductions {
  bool idle_squares = true;  // 1
  bool symmetries = true;    // 2, 3 and the renaming in 4
  bool alike_pieces = true;  // 4, the classes
};

namespace detail {

// For each order of attributes (index a0 + 4 a1 + 16 a2): byte q is the piece that becomes piece q when attribute a_i
// becomes attribute i.
extern const std::array<Bytes16, 64> kPieceSources;
// kPacked[k][byte]: in each block of 2^k bits the ones are moved to the low end.
extern const std::array<std::array<std::uint8_t, 256>, 4> kPacked;

inline Mask gather_pieces(Mask pieces, Bytes16 source) {
  constexpr Bytes16 kHalf = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  constexpr Bytes16 kBit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const std::array<std::uint64_t, 2> words = {pieces, 0};
  const Bytes16 spread = look_up(std::bit_cast<Bytes16>(words), kHalf);
  const Bytes16 each = reinterpret_cast<Bytes16>((spread & kBit) == kBit);
  return static_cast<Mask>(high_bits(look_up(each, source)));
}

inline std::uint64_t scramble(std::uint64_t x) {
  x *= 0x9E3779B97F4A7C15ULL;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  return x ^ (x >> 29);
}

// A bijection of 128 bits (a Feistel network, so different states keep different names). It mixes well enough for
// either word to index a table.
inline Name mix(Name n) {
  n.second ^= scramble(n.first);
  n.first ^= scramble(n.second);
  n.second ^= scramble(n.first + 0xA0761D6478BD642FULL);
  n.first ^= scramble(n.second + 0xE7037ED1A0B428DBULL);
  return n;
}

}  // namespace detail

// The state must be trimmed; otherwise one state may get several names.
template <Rules kRules>
CanonicalState canonical_state(const State<kRules>& state, const Geometry<kRules>& geometry,
                               const Reductions& reductions = {}) {
  // An attribute of an image as one number, for comparing and sorting: the lines of its smaller polarity, those of its
  // larger one, a count to break ties, and the original attribute.
  constexpr int kLineBits = Geometry<kRules>::kLineCount, kCountBits = 4, kTagBits = 3;
  constexpr int kLow = kCountBits + kTagBits;
  static_assert(2 * kLineBits + kLow <= 64);
  const std::uint32_t live = state.alive.nonzero();
  const Mask named = reductions.idle_squares ? static_cast<Mask>(geometry.squares_on(live) & state.empty) : state.empty;

  std::array<std::uint64_t, kAttributes> has{}, lacks{};
  for (std::size_t a = 0; a < kAttributes; ++a) {
    has[a] = static_cast<std::uint64_t>(std::popcount<Mask>(state.left & Position::kHasAttribute[a]));
    lacks[a] = static_cast<std::uint64_t>(std::popcount(state.left)) - has[a];
  }
  CanonicalState result;
  auto& best = result.lines;
  best.fill(~0ULL);
  // Bit 0 is the identity.
  const std::uint32_t images = reductions.symmetries ? geometry.set_images.reached_by[named] : 1U;
  for (std::uint32_t by = images; by != 0; by &= by - 1) {
    const auto image = geometry.line_images[static_cast<std::size_t>(std::countr_zero(by))](state.alive);
    const std::array<std::uint64_t, 8> values = {
        image.template bits<0>(), image.template bits<1>(), image.template bits<2>(), image.template bits<3>(),
        image.template bits<4>(), image.template bits<5>(), image.template bits<6>(), image.template bits<7>()};
    std::array<std::uint64_t, kAttributes> words;
    for (std::size_t a = 0; a < kAttributes; ++a) {
      const std::uint64_t without = (values[2 * a] << kCountBits) | lacks[a];
      const std::uint64_t with = (values[2 * a + 1] << kCountBits) | has[a];
      const bool flip = reductions.symmetries && with < without;
      const std::uint64_t low = flip ? with : without, high = flip ? without : with;
      words[a] = (((low >> kCountBits) << (kLineBits + kLow)) | ((high >> kCountBits) << kLow)) |
                 ((low & ((1U << kCountBits) - 1)) << kTagBits) | (a << 1) | (flip ? 1U : 0U);
    }
    if (reductions.symmetries) sort_four(words);
    if (words < best) best = words;
  }

  unsigned from = 0, flips = 0;
  int dead = 0;  // attributes without a live line, which sort first
  for (unsigned i = 0; i < kAttributes; ++i) {
    const unsigned a = (best[i] >> 1) & 3U;
    if (i < 3) from |= a << (2 * i);
    flips |= static_cast<unsigned>(best[i] & 1U) << a;
    dead += (best[i] >> kLow) == 0;
    best[i] >>= kLow;
  }
  const Bytes16 source = detail::kPieceSources[from] ^ splat(static_cast<std::uint8_t>(flips));
  Mask left = detail::gather_pieces(state.left, source);
  if (reductions.alike_pieces && reductions.symmetries) {
    const auto& packed = detail::kPacked[static_cast<std::size_t>(std::min(dead, 3))];
    left = static_cast<Mask>(packed[left & 0xFF] | (packed[left >> 8] << 8));
  }
  const Mask squares = reductions.symmetries ? geometry.set_images.image[named] : named;
  result.rest = static_cast<std::uint64_t>(squares) | (static_cast<std::uint64_t>(left) << 16);
  return result;
}

template <Rules kRules>
Name name_of(const CanonicalState& state) {
  const auto& lines = state.lines;
  if constexpr (kRules == Rules::lines) {  // 20 bits of each
    return detail::mix({lines[0] | (lines[1] << 20) | (lines[2] << 40), lines[3] | (state.rest << 20)});
  } else if constexpr (kRules == Rules::squares) {  // 38 bits of each
    // Hashes 184 bits to 128. The constant separates the two rule sets in one table.
    Name n = detail::mix({lines[0] ^ 0x8EBC6AF09C88C6E3ULL, lines[1] | (state.rest << 38)});
    n.first ^= lines[2];
    n.second ^= lines[3] | ((state.rest >> 26) << 38);
    return detail::mix(n);
  } else {  // any rule set: a hash of all five words and of the rules
    Name n = detail::mix({lines[0], lines[1]});
    n = detail::mix({n.first ^ lines[2], n.second ^ lines[3]});
    return detail::mix({n.first ^ state.rest, n.second ^ static_cast<std::uint64_t>(kRules)});
  }
}

}  // namespace quarto::solver
