// One representative for all images of a position under the symmetries, and a key that is equal exactly for positions
// that are images of each other.
//
// The representative is the image with the smallest set of occupied squares, then the smallest (sorted) attribute
// boards with the hand's bits appended. The smallest board is found without trying all 12,288 images: a table holds,
// for each of the 65,536 sets of squares, which board symmetries take it to its smallest image (usually one to four);
// for each of those, each attribute picks the smaller of its two polarities and the four attributes are sorted.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "env/position.h"
#include "env/symmetry.h"

namespace quarto {

// Exact, not a hash: two positions have equal keys if and only if they are images of each other (under the same rules).
struct CanonicalKey {
  std::uint64_t attributes = 0;  // four bitboards of the representative
  std::uint32_t rest = 0;        // occupied squares, hand, phase, rules
  friend auto operator<=>(const CanonicalKey&, const CanonicalKey&) = default;
  // A well-mixed 64-bit digest, for tables and for splitting sets by key.
  std::uint64_t hash() const;
};

struct CanonicalForm {
  Position position;  // the representative
  Symmetry symmetry;  // takes the original to the representative
};

CanonicalKey canonical_key(const Position& position);
CanonicalForm canonical_form(const Position& position);
// canonical_form(p).position for every p that has this key.
Position representative(const CanonicalKey& key);

}  // namespace quarto

template <>
struct std::hash<quarto::CanonicalKey> {
  std::size_t operator()(const quarto::CanonicalKey& k) const noexcept { return static_cast<std::size_t>(k.hash()); }
};
