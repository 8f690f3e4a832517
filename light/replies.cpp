#include "light/replies.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "env/attribute_values.h"

#if defined(__AVX512BITALG__) && defined(__AVX512VL__)
#include <immintrin.h>
#endif

namespace quarto::light {
namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

#if defined(__AVX2__)
constexpr int kPartBytes = 32;
#else
constexpr int kPartBytes = 16;
#endif
using Part [[gnu::may_alias]] = std::uint16_t __attribute__((vector_size(kPartBytes)));

// A set of pieces for each of the sixteen pieces. Operations are element by element.
struct Sets {
  static constexpr int kParts = kPieces * static_cast<int>(sizeof(Mask)) / kPartBytes;
  Part part[kParts];  // NOLINT(modernize-avoid-c-arrays): std::array would drop the attributes of a vector

  template <class F>
  static Sets of(const F& f) {
    Sets r;
    for (int i = 0; i < kParts; ++i) r.part[i] = f(i);
    return r;
  }
  static Sets all(Mask x) {
    return of([&](int) { return Part{} + x; });
  }
  // From memory: an element of a vector in a register would first be stored.
  Mask operator[](int piece) const {
    Mask m = 0;
    std::memcpy(&m, reinterpret_cast<const char*>(this) + static_cast<std::size_t>(piece) * sizeof m, sizeof m);
    return m;
  }
  friend Sets operator&(const Sets& a, const Sets& b) {
    return of([&](int i) { return a.part[i] & b.part[i]; });
  }
};

constexpr auto kWithoutShared = [] {
  // By attribute value c and piece x: the pieces without c if x has c, else all.
  std::array<std::array<Mask, kPieces>, kAttributeValues> table{};
  for (std::size_t c = 0; c < kAttributeValues; ++c) {
    for (std::size_t x = 0; x < kPieces; ++x) {
      table[c][x] = (kAttributeValueSetOf[x] >> c & 1) ? kPiecesWithout[std::size_t{1} << c] : Mask{0xFFFF};
    }
  }
  return table;
}();

constexpr auto kOthers = [] {
  std::array<Mask, kPieces> table{};
  for (std::size_t x = 0; x < kPieces; ++x) table[x] = static_cast<Mask>(~(1U << x));
  return table;
}();

Sets load(const std::array<Mask, kPieces>& from) {
  Sets r;
  std::memcpy(&r, from.data(), sizeof r);
  return r;
}

// For each piece x, the pieces that have none of those of `values` that x has.
Sets without_shared(AttributeValues values) {
  Sets r = Sets::all(0xFFFF);
  for (unsigned rest = values; rest; rest &= rest - 1) r = r & load(kWithoutShared[at(std::countr_zero(rest))]);
  return r;
}

// Counts of sets by piece: how many were not empty, had an odd number of members, had at most one.
class Tally {
 public:
  void add(const Sets& sets) {
    for (int i = 0; i < Sets::kParts; ++i) {
      const Part m = sets.part[i];
      some_[i] -= static_cast<Part>(m != 0);
      few_[i] -= static_cast<Part>((m & (m - 1)) == 0);
      odd_[i] += parity(m);
    }
  }
  // Packed as in Replies, for `sets` calls of add().
  Sets packed(int sets) const {
    return Sets::of([&](int i) {
      const Part one = few_[i] + some_[i] - static_cast<std::uint16_t>(sets);
      return some_[i] | odd_[i] << 4 | one << 8;
    });
  }

 private:
  static Part parity(Part m) {
#if defined(__AVX512BITALG__) && defined(__AVX512VL__)
    return reinterpret_cast<Part>(_mm256_popcnt_epi16(reinterpret_cast<__m256i>(m))) & 1;
#else
    m ^= m >> 8;
    m ^= m >> 4;
    m ^= m >> 2;
    m ^= m >> 1;
    return m & 1;
#endif
  }

  Part some_[Sets::kParts] = {};  // NOLINT(modernize-avoid-c-arrays)
  Part few_[Sets::kParts] = {};   // NOLINT(modernize-avoid-c-arrays)
  Part odd_[Sets::kParts] = {};   // NOLINT(modernize-avoid-c-arrays)
};

// The attribute values of lines with gaps, by their columns.
struct Gaps {
  std::array<AttributeValues, kSquares> completes{};                    // the only gap
  std::array<std::array<AttributeValues, kSquares>, kSquares> two{};    // exactly these gaps
  std::array<std::array<AttributeValues, kSquares>, kSquares> three{};  // two of exactly three gaps
  std::array<Mask, kSquares> has_two{};                                 // the columns z with two[s][z]

  explicit Gaps(const PairsInput& in) {
    for (int i = 0; i < in.alive_count; ++i) {
      const auto& a = in.alive[at(i)];
      const auto& line = in.line[a.line];
      const auto value = static_cast<AttributeValues>(1U << a.attribute_value);
      const auto put = [value](AttributeValues& set) { set = static_cast<AttributeValues>(set | value); };
      if (line.columns == 1) put(completes[line.column[0]]);
      if (line.columns != 2 && line.columns != 3) continue;
      for (std::size_t j = 0; j < line.columns; ++j) {
        for (std::size_t k = 0; k < line.columns; ++k) {
          if (j == k) continue;
          put((line.columns == 2 ? two : three)[line.column[j]][line.column[k]]);
          if (line.columns == 2)
            has_two[line.column[j]] = static_cast<Mask>(has_two[line.column[j]] | 1U << line.column[k]);
        }
      }
    }
  }
};

}  // namespace

// N is the size of an intersection: of the pieces that base(s, z) leaves, of those that p on s leaves, of those that q
// on z leaves, and of those that both together leave on a line through s and z. The second depends on (s, z, p), the
// third on (s, z, q) in the same way, and the last is trivial for most (s, z). So for each (s, z, p) the sets for all q
// take a few vector operations, and no table is read.
void Replies::count(const PairsInput& in) {
  const int n = in.n;
  if (n > kMostReplySquares) return;
  Mask left = 0;
  for (int row = 0; row < n; ++row) left = static_cast<Mask>(left | 1U << in.pieces[at(row)]);
  const Gaps gaps(in);

  // remaining[s][z]: for each piece x on s, the pieces other than x that no line through s with one more gap, which is
  // not z, makes unsafe.
  std::array<std::array<Sets, kSquares>, kSquares> remaining;
  const Sets not_itself = load(kOthers);
  for (int s = 0; s < n; ++s) {
    AttributeValues every = 0;
    for (const AttributeValues v : gaps.two[at(s)]) every = static_cast<AttributeValues>(every | v);
    const Sets usual = without_shared(every) & not_itself;
    for (int z = 0; z < n; ++z) remaining[at(s)][at(z)] = usual;
    for (const int z : BitsOf(gaps.has_two[at(s)])) {
      AttributeValues rest = 0;
      for (const int k : BitsOf(static_cast<Mask>(gaps.has_two[at(s)] & ~(1U << z))))
        rest = static_cast<AttributeValues>(rest | gaps.two[at(s)][at(k)]);
      remaining[at(s)][at(z)] = without_shared(rest) & not_itself;
    }
  }

  // By attribute value and whether it is alive on the line through s and z.
  std::array<std::array<Sets, 2>, kAttributeValues> shared;
  for (std::size_t c = 0; c < kAttributeValues; ++c) shared[c] = {Sets::all(0xFFFF), load(kWithoutShared[c])};

  AttributeValues anywhere = 0;
  Mask completing = 0;
  for (int c = 0; c < n; ++c) {
    anywhere = static_cast<AttributeValues>(anywhere | gaps.completes[at(c)]);
    if (gaps.completes[at(c)]) completing = static_cast<Mask>(completing | 1U << c);
  }
  const auto elsewhere = [&](Mask columns) {
    if (!(completing & columns)) return anywhere;
    AttributeValues values = 0;
    for (const int c : BitsOf(static_cast<Mask>(completing & ~columns)))
      values = static_cast<AttributeValues>(values | gaps.completes[at(c)]);
    return values;
  };

  for (int s = 0; s < n; ++s) {
    // What does not depend on p, for each z; first those that share a line of three gaps with s.
    std::array<Sets, kSquares> by_z;
    std::array<AttributeValues, kSquares> line;
    std::array<const Sets*, kSquares> by_s;
    int lined = 0, count = 0;
    for (const bool with_line : {true, false}) {
      for (int z = 0; z < n; ++z) {
        if (z == s || (gaps.three[at(s)][at(z)] != 0) != with_line) continue;
        const Mask others = static_cast<Mask>(left & kPiecesWithout[elsewhere(static_cast<Mask>(1U << s | 1U << z))]);
        line[at(count)] = gaps.three[at(s)][at(z)];
        by_s[at(count)] = &remaining[at(s)][at(z)];
        by_z[at(count)] = remaining[at(z)][at(s)] & Sets::all(others);
        ++count;
      }
      if (with_line) lined = count;
    }
    for (int row = 0; row < n; ++row) {
      const int pair = row * n + s;
      const Mask given = in.given[at(pair)];
      if (!given) continue;
      const int p = in.pieces[at(row)];
      const auto& own = kAttributeValuesOf[at(p)];
      Tally tally;
      for (int i = 0; i < lined; ++i) {
        Sets sets = by_z[at(i)] & Sets::all((*by_s[at(i)])[p]);
        for (const std::uint8_t c : own) sets = sets & shared[c][line[at(i)] >> c & 1];
        tally.add(sets);
      }
      for (int i = lined; i < count; ++i) tally.add(by_z[at(i)] & Sets::all((*by_s[at(i)])[p]));
      const Sets packed = tally.packed(count);
      std::memcpy(packed_[at(pair)].data(), &packed, sizeof packed);
      int fewest = kReplyCounts - 1, without = 0;
      for (const int q : BitsOf(given)) {
        const int safe = packed_[at(pair)][at(q)] & 15;
        fewest = std::min(fewest, safe);
        without += safe == 0;
      }
      least[at(pair)] = static_cast<std::uint8_t>(fewest);
      none[at(pair)] = static_cast<std::uint8_t>(without);
    }
  }
}

}  // namespace quarto::light
