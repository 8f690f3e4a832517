#include "env/canonical.h"

#include "base/sort_four.h"

namespace quarto {
namespace {

// One attribute of an image: its board above the hand's bit, so that comparing words compares boards first.
// Bits 0..1 carry the attribute it came from and bit 2 whether its polarity was changed; they never decide an order
// that matters, because equal words above them are interchangeable.
using Word = std::uint32_t;
constexpr int kTagBits = 3;

struct Candidate {
  std::array<Word, kAttributes> words{};
  std::uint16_t board = 0;
  bool operator<(const Candidate& other) const {
    for (std::size_t i = 0; i < kAttributes; ++i) {
      const Word a = words[i] >> kTagBits, b = other.words[i] >> kTagBits;
      if (a != b) return a < b;
    }
    return false;
  }
};

struct Smallest {
  Mask occupied = 0;
  Candidate candidate;
};

Smallest smallest(const Position& position) {
  const SmallestSetImages& sets = smallest_set_images(position.rules());
  const auto images = square_set_images(position.rules());
  Smallest result;
  result.occupied = sets.image[position.occupied()];
  const unsigned hand = position.has_hand() ? static_cast<unsigned>(index(position.hand())) : 0;
  const Word has_hand = position.has_hand() ? 1 : 0;
  bool first = true;
  for (std::uint32_t by = sets.reached_by[position.occupied()]; by != 0; by &= by - 1) {
    Candidate c;
    c.board = static_cast<std::uint16_t>(std::countr_zero(by));
    for (int i = 0; i < kAttributes; ++i) {
      const Mask image = images[c.board](bitboard(position.attributes(), i));
      const Word bit_in_hand = (hand >> i) & 1U;
      const Word as_is = (static_cast<Word>(image) << 1) | bit_in_hand;
      const Word flipped = (static_cast<Word>(image ^ result.occupied) << 1) | (bit_in_hand ^ has_hand);
      const Word tag = static_cast<Word>(i);
      c.words[static_cast<std::size_t>(i)] =
          flipped < as_is ? (flipped << kTagBits) | 4U | tag : (as_is << kTagBits) | tag;
    }
    sort_four(c.words);
    if (first || c < result.candidate) result.candidate = c;
    first = false;
  }
  return result;
}

CanonicalKey key_of(const Smallest& best, const Position& position) {
  CanonicalKey key;
  unsigned hand = 0;
  for (std::size_t i = 0; i < kAttributes; ++i) {
    const Word word = best.candidate.words[i] >> kTagBits;
    key.attributes |= static_cast<Bitboards>(word >> 1) << (16 * i);
    hand |= (word & 1U) << i;
  }
  key.rest = best.occupied | (hand << 16) | (position.has_hand() ? 1U << 20 : 0U) |
             (static_cast<std::uint32_t>(position.rules()) << 21);
  return key;
}

}  // namespace

CanonicalKey canonical_key(const Position& position) { return key_of(smallest(position), position); }

CanonicalForm canonical_form(const Position& position) {
  const Smallest best = smallest(position);
  PieceSymmetry g{};
  for (std::size_t i = 0; i < kAttributes; ++i) {
    const Word word = best.candidate.words[i];
    g.to[word & 3U] = static_cast<std::uint8_t>(i);
    if (word & 4U) g.flip = static_cast<std::uint8_t>(g.flip | (1U << i));
  }
  return {representative(key_of(best, position)), {best.candidate.board, index_of(g)}};
}

Position representative(const CanonicalKey& key) {
  return Position::from_parts(static_cast<Rules>(key.rest >> 21), key.attributes, static_cast<Mask>(key.rest),
                              (key.rest >> 20) & 1U, piece(static_cast<int>((key.rest >> 16) & 15U)));
}

std::uint64_t CanonicalKey::hash() const {
  // MurmurHash3's finalizer over both words (Appleby, public domain design).
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 33)) * 0xFF51AFD7ED558CCDULL;
    z = (z ^ (z >> 33)) * 0xC4CEB9FE1A85EC53ULL;
    return z ^ (z >> 33);
  };
  return mix(mix(attributes) + 0x9E3779B97F4A7C15ULL * (rest + 1ULL));
}

}  // namespace quarto
