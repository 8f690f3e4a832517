// One 128-bit name for all states that differ only in how squares, attributes, polarities and indistinguishable pieces
// are called.
//
// What is made of a (trimmed) state:
//   1. Squares on no line that is alive are interchangeable. Only the others are named; the number of idle ones
//      follows from the number of pieces left.
//   2. Board: the named squares' smallest image under the board symmetries; a table has it, with the symmetries that
//      reach it (usually one to four). For each of those:
//   3. each attribute puts its two polarities in order of their lines, and the four attributes are sorted by lines;
//      the smallest result over the symmetries is taken.
//   4. Pieces: renamed accordingly. An attribute in which no line is alive does not distinguish pieces, so only the
//      number of pieces in each class that remains distinguishable is kept.
// Ties in 3 are broken by counts of pieces and else left as they fall: then two names may exist for one state, which
// costs a little work and is never wrong. The converse, one name for two different states, is excluded up to here, as
// every step renames; it enters with the hash only (see table.h for its chance).
#pragma once

#include <algorithm>

#include "solver/state.h"

namespace quarto::solver {

struct Name {
  std::uint64_t first = 0, second = 0;
  friend bool operator==(const Name&, const Name&) = default;
};

namespace detail {

// For each order of attributes (index a0 + 4 a1 + 16 a2): byte q is the piece that becomes piece q when attribute a_i
// becomes attribute i.
extern const std::array<Bytes16, 64> kPieceSources;
// kPacked[k][byte]: each block of 2^k bits with its ones moved to its low end.
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

// A bijection of 128 bits (a Feistel network, so different states keep different names) that mixes well enough for
// either word to index a table.
inline Name mix(Name n) {
  n.second ^= scramble(n.first);
  n.first ^= scramble(n.second);
  n.second ^= scramble(n.first + 0xA0761D6478BD642FULL);
  n.first ^= scramble(n.second + 0xE7037ED1A0B428DBULL);
  return n;
}

}  // namespace detail

// An attribute of an image: the lines of its lesser polarity, of its greater one, a count to break ties, and where it
// came from. Wider than needed for ten lines; compared and sorted as one number.
template <Rules kRules>
Name name_of(const State<kRules>& state, const Geometry<kRules>& geometry) {
  constexpr int kLineBits = Geometry<kRules>::kLineCount, kCountBits = 4, kTagBits = 3;
  constexpr int kLow = kCountBits + kTagBits;
  const std::uint32_t live = state.alive.nonzero();
  const Mask named = static_cast<Mask>(geometry.squares_on(live) & state.empty);

  using Words = std::array<std::uint64_t, kAttributes>;
  std::array<std::uint64_t, kAttributes> has{}, lacks{};
  for (std::size_t a = 0; a < kAttributes; ++a) {
    has[a] = static_cast<std::uint64_t>(std::popcount<Mask>(state.left & Position::kHasAttribute[a]));
    lacks[a] = static_cast<std::uint64_t>(std::popcount(state.left)) - has[a];
  }
  Words best;
  best.fill(~0ULL);
  for (std::uint32_t by = geometry.set_images.reached_by[named]; by != 0; by &= by - 1) {
    const auto image = geometry.line_images[static_cast<std::size_t>(std::countr_zero(by))](state.alive);
    const std::array<std::uint64_t, 8> kinds = {
        image.template bits<0>(), image.template bits<1>(), image.template bits<2>(), image.template bits<3>(),
        image.template bits<4>(), image.template bits<5>(), image.template bits<6>(), image.template bits<7>()};
    Words words;
    for (std::size_t a = 0; a < kAttributes; ++a) {
      const std::uint64_t without = (kinds[2 * a] << kCountBits) | lacks[a];
      const std::uint64_t with = (kinds[2 * a + 1] << kCountBits) | has[a];
      const bool flip = with < without;
      const std::uint64_t low = flip ? with : without, high = flip ? without : with;
      words[a] = (((low >> kCountBits) << (kLineBits + kLow)) | ((high >> kCountBits) << kLow)) |
                 ((low & ((1U << kCountBits) - 1)) << kTagBits) | (a << 1) | (flip ? 1U : 0U);
    }
    const auto order = [&words](std::size_t i, std::size_t j) {
      const std::uint64_t low = std::min(words[i], words[j]), high = std::max(words[i], words[j]);
      words[i] = low;
      words[j] = high;
    };
    order(0, 1);
    order(2, 3);
    order(0, 2);
    order(1, 3);
    order(1, 2);
    if (words < best) best = words;
  }

  unsigned from = 0, flips = 0;
  int idle = 0;
  for (unsigned i = 0; i < kAttributes; ++i) {
    const unsigned a = (best[i] >> 1) & 3U;
    if (i < 3) from |= a << (2 * i);
    flips |= static_cast<unsigned>(best[i] & 1U) << a;
    idle += (best[i] >> kLow) == 0;
    best[i] >>= kLow;
  }
  const Bytes16 source = detail::kPieceSources[from] ^ splat(static_cast<std::uint8_t>(flips));
  Mask left = detail::gather_pieces(state.left, source);
  const auto& packed = detail::kPacked[static_cast<std::size_t>(std::min(idle, 3))];
  left = static_cast<Mask>(packed[left & 0xFF] | (packed[left >> 8] << 8));

  const std::uint64_t rest =
      static_cast<std::uint64_t>(geometry.set_images.image[named]) | (static_cast<std::uint64_t>(left) << 16);
  if constexpr (kRules == Rules::lines) {
    static_assert(2 * kLineBits == 20);
    return detail::mix({best[0] | (best[1] << 20) | (best[2] << 40), best[3] | (rest << 20)});
  } else {
    static_assert(2 * kLineBits == 38);
    // 184 bits into 128. The constant keeps the two rule sets apart in one table.
    Name n = detail::mix({best[0] ^ 0x8EBC6AF09C88C6E3ULL, best[1] | (rest << 38)});
    n.first ^= best[2];
    n.second ^= best[3] | ((rest >> 26) << 38);
    return detail::mix(n);
  }
}

}  // namespace quarto::solver
