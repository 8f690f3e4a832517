#include "light/replies.h"

#include <cstring>

#include "base/index.h"
#include "env/attribute_values.h"

#if defined(__AVX512BITALG__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace quarto::light {
namespace {

constexpr int kMost = kMostReplySquares;

#if defined(__AVX2__)
constexpr int kPartBytes = 32;
#else
constexpr int kPartBytes = 16;
#endif
using Part [[gnu::may_alias]] = std::uint16_t __attribute__((vector_size(kPartBytes)));

// A number, or a set of pieces, for each of the sixteen pieces. Operations are element by element.
struct Row {
  static constexpr int kParts = kPieces * static_cast<int>(sizeof(Mask)) / kPartBytes;
  Part part[kParts];  // NOLINT(modernize-avoid-c-arrays): std::array would drop the attributes of a vector

  template <class F>
  static Row of(const F& f) {
    Row r;
    for (int i = 0; i < kParts; ++i) r.part[i] = f(i);
    return r;
  }
  static Row load(const std::array<Mask, kPieces>& from) {
    Row r;
    std::memcpy(&r, from.data(), sizeof r);
    return r;
  }
  // From memory: an element of a vector in a register would first be stored.
  Mask operator[](int piece) const {
    Mask m = 0;
    std::memcpy(&m, reinterpret_cast<const char*>(this) + static_cast<std::size_t>(piece) * sizeof m, sizeof m);
    return m;
  }
  friend Row operator+(const Row& a, const Row& b) {
    return of([&](int i) { return a.part[i] + b.part[i]; });
  }
  friend Row operator&(const Row& a, const Row& b) {
    return of([&](int i) { return a.part[i] & b.part[i]; });
  }
  friend Row operator&(const Row& a, Mask b) {
    return of([&](int i) { return a.part[i] & b; });
  }
};

// without_shared() of the values of two attributes: [half of the byte][values][x].
constexpr auto kWithoutShared = [] {
  std::array<std::array<std::array<Mask, kPieces>, 16>, 2> table{};
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t values = 0; values < 16; ++values) {
      for (std::size_t x = 0; x < kPieces; ++x) {
        const std::size_t shared = values << (4 * half) & kAttributeValueSetOf[x];
        table[half][values][x] = static_cast<Mask>(kPiecesWithout[shared] & ~(1U << x));
      }
    }
  }
  return table;
}();

// For each piece x, those other than x that have none of those of `values` that x has. Only the lowest byte counts.
Row without_shared(unsigned values) {
  return Row::load(kWithoutShared[0][values & 0xF]) & Row::load(kWithoutShared[1][values >> 4 & 0xF]);
}

// Of sets, packed as in Replies: whether they have members, an odd number of them, one.
Part packed(Part m) {
#if defined(__AVX512BITALG__) && defined(__AVX512VL__)
  const auto size = reinterpret_cast<Part>(_mm256_popcnt_epi16(reinterpret_cast<__m256i>(m)));
  return (size < 1 ? size : Part{} + 1) | (size << 4 & 0x10) | (reinterpret_cast<Part>(size == 1) & 0x100);
#else
  const Part some = reinterpret_cast<Part>(m != 0), few = reinterpret_cast<Part>((m & (m - 1)) == 0);
  Part odd = m ^ m >> 8;
  odd ^= odd >> 4;
  odd ^= odd >> 2;
  odd ^= odd >> 1;
  return (some & (1 | (few & 0x100))) | (odd & 1) << 4;
#endif
}

// The attribute values that make a piece unsafe after p on s and q on z. From the lowest byte: always; if p has them; if
// q has them; if both have them. Apart from p and q, N depends on nothing else.
using Danger = std::uint32_t;
using Dangers = std::array<std::array<Danger, kMost>, kMost>;  // [s][z]

Dangers dangers_of(const PairsInput& in) {
  // Of lines with one gap; with two gaps, s and z, as of p; with three, s and z among them, as of both.
  std::array<Danger, kMost> one{};
  Dangers more{};
  const auto values = in.values_by_line();
  for (int l = 0; l < in.lines; ++l) {
    const auto& line = in.line[idx(l)];
    if (line.columns == 1) one[line.column[0]] |= values[idx(l)];
    if (line.columns != 2 && line.columns != 3) continue;
    const Danger set = Danger{values[idx(l)]} << (line.columns == 2 ? 8 : 24);
    for (int j = 0; j < line.columns; ++j) {
      for (int k = 0; k < line.columns; ++k) more[line.column[idx(j)]][line.column[idx(k)]] |= set;
    }
  }
  // The first two bytes are those of all columns but s and z, from those before z and those after it.
  Dangers dangers;
  for (int s = 0; s < in.n; ++s) {
    const auto of = [&](int c) { return c == s ? 0 : one[idx(c)] | (more[idx(s)][idx(c)] & 0xFF00); };
    Danger before = 0, after = 0;
    for (int z = 0; z < in.n; ++z) {
      dangers[idx(s)][idx(z)] = before | (more[idx(s)][idx(z)] & 0xFF00'0000);
      before |= of(z);
    }
    for (int z = in.n; z-- > 0;) {
      dangers[idx(s)][idx(z)] |= after;
      after |= of(z);
    }
  }
  for (int s = 0; s < in.n; ++s) {
    for (int z = 0; z < s; ++z) {
      Danger &a = dangers[idx(s)][idx(z)], &b = dangers[idx(z)][idx(s)];
      const Danger by_a = a & 0xFF00, by_b = b & 0xFF00;
      a |= by_b << 8;
      b |= by_a << 8;
    }
  }
  return dangers;
}

// What one z adds to the counts of a pair (p, s), for each q. Many (s, z) have the same danger, so it is found once for
// each: with five pieces on the board for 30 of 110.
class Additions {
 public:
  Additions(const PairsInput& in, Mask rows) : in_(in), rows_(rows) {
    for (int row = 0; row < in.n; ++row) left_ = static_cast<Mask>(left_ | 1U << in.pieces[idx(row)]);
  }

  // By row: of each p in `rows`.
  const Row* of(Danger danger) {
    std::size_t slot = danger * 0x9E37'79B1U >> 24;
    for (; slot_[slot]; slot = (slot + 1) % slot_.size()) {
      if (danger_[slot_[slot] - 1U] == danger) return found_[slot_[slot] - 1U].data();
    }
    danger_[idx(count_)] = danger;
    auto& found = found_[idx(count_)];
    slot_[slot] = static_cast<std::uint8_t>(++count_);
    const Row by_p = without_shared(danger >> 8) & static_cast<Mask>(left_ & kPiecesWithout[danger & 0xFF]);
    Row by_q = without_shared(danger >> 16);
    for (const int row : BitsOf(rows_)) {
      const int p = in_.pieces[idx(row)];
      const Danger both = danger >> 24;
      if (both) by_q = without_shared(danger >> 16 | (both & kAttributeValueSetOf[idx(p)]));
      const Row sets = by_q & by_p[p];
      found[idx(row)] = Row::of([&](int i) { return packed(sets.part[i]); });
    }
    return found.data();
  }

 private:
  const PairsInput& in_;
  Mask rows_, left_ = 0;
  int count_ = 0;
  std::array<std::uint8_t, 256> slot_{};  // a hash table of those found: their number, from 1
  std::array<Danger, kMost * kMost> danger_;
  std::array<std::array<Row, kMost>, kMost * kMost> found_;
};

}  // namespace

void Replies::count(const PairsInput& in) {
  const int n = in.n;
  if (n > kMost) return;
  std::array<Mask, kMost> rows{};  // by column: of its pairs with replies
  Mask any = 0;
  for (int pair = 0; pair < n * n; ++pair) {
    const unsigned row = unsigned{in.given[idx(pair)] != 0} << (pair / n);
    rows[idx(pair % n)] = static_cast<Mask>(rows[idx(pair % n)] | row);
    any = static_cast<Mask>(any | row);
  }
  const Dangers dangers = dangers_of(in);
  Additions additions(in, any);
  for (int s = 0; s < n; ++s) {
    if (!rows[idx(s)]) continue;
    std::array<const Row*, kMost> of_z;
    int count = 0;
    for (int z = 0; z < n; ++z) {
      if (z != s) of_z[idx(count++)] = additions.of(dangers[idx(s)][idx(z)]);
    }
    for (const int row : BitsOf(rows[idx(s)])) {
      Row sum{};
      int i = 0;
      for (; i + 1 < count; i += 2) sum = sum + of_z[idx(i)][row] + of_z[idx(i + 1)][row];
      if (i < count) sum = sum + of_z[idx(i)][row];
      std::memcpy(packed_[idx(row * n + s)].data(), &sum, sizeof sum);
    }
  }
}

}  // namespace quarto::light
