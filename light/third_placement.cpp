#include "light/third_placement.h"

#include <cstring>

#include "base/index.h"
#include "light/column_sets.h"

namespace quarto::light {
namespace {

constexpr int kMost = kMostThirdSquares;

// By row or by column of PairsInput. There are at most eight rows, so a byte is also a set of rows.
static_assert(kWordBytes == kMost);
using Part = Matrix::Part;

// For each j the least [i][j].
Word least_of_column(const Matrix& m) {
  using Two = std::uint8_t __attribute__((vector_size(2 * sizeof(Word))));
  using One = std::uint8_t __attribute__((vector_size(sizeof(Word))));
  const auto smaller = [](const auto& a, const auto& b) { return a < b ? a : b; };
  Two two[4];  // NOLINT(modernize-avoid-c-arrays)
  std::memcpy(two, &m, sizeof m);
  const Two least = smaller(smaller(two[0], two[1]), smaller(two[2], two[3]));
  One one[2];  // NOLINT(modernize-avoid-c-arrays)
  std::memcpy(one, &least, sizeof least);
  return reinterpret_cast<Word>(smaller(one[0], one[1]));
}

// Exchanges blocks of 4x4 bytes, in these blocks of 2x2, and in these bytes.
Words transposed(Words m) {
  for (int block = kMost / 2; block > 0; block /= 2) {
    const Word low = ~Word{0} / (only(block, 1) + 1);  // every other `block` bytes
    for (int i = 0; i < kMost; ++i) {
      if (i & block) continue;
      const Word change = (m[idx(i)] >> (8 * block) ^ m[idx(i + block)]) & low;
      m[idx(i)] ^= change << (8 * block);
      m[idx(i + block)] ^= change;
    }
  }
  return m;
}

// The attribute values that are alive on lines with gaps: [s][z], a byte for each w; all three are columns.
struct Gaps {
  using Table = std::array<Words, kMost>;
  Table one{};    // lines whose only gap is none of s, z and w
  Table two{};    // whose gaps are s and another one, neither z nor w
  Table three{};  // whose gaps are s, z and another one, not w
  Table four{};   // whose gaps are s, z, w and another one; not defined if two of these are equal

  explicit Gaps(const PairsInput& in) {
    const auto alive = in.values_by_line();
    for (int l = 0; l < in.lines; ++l) {
      if (alive[idx(l)]) add(in.line[idx(l)], everywhere(alive[idx(l)]));
    }
  }

 private:
  void add(const PairsInput::Line& line, Word values) {
    const auto gap = [&](int i) { return int{line.column[idx(i)]}; };
    // For every w but the last gap.
    const auto put = [&](Word& to, int last) { to |= values & ~only(last, 0xFF); };
    switch (line.columns) {
      case 1:
        for (int s = 0; s < kMost; ++s) {
          for (int z = 0; z < kMost; ++z) {
            if (s != gap(0) && z != gap(0)) put(one[idx(s)][idx(z)], gap(0));
          }
        }
        break;
      case 2:
        for (int z = 0; z < kMost; ++z) {
          if (z != gap(1)) put(two[idx(gap(0))][idx(z)], gap(1));
          if (z != gap(0)) put(two[idx(gap(1))][idx(z)], gap(0));
        }
        break;
      case 3:
        for (int i = 0; i < 3; ++i) {
          put(three[idx(gap(i))][idx(gap((i + 1) % 3))], gap((i + 2) % 3));
          put(three[idx(gap((i + 1) % 3))][idx(gap(i))], gap((i + 2) % 3));
        }
        break;
      default:
        for (int i = 0; i < 4; ++i) {
          for (int j = 0; j < 4; ++j) {
            for (int k = 0; k < 4; ++k) four[idx(gap(i))][idx(gap(j))] |= values & only(gap(k), 0xFF);
          }
        }
    }
  }
};

// What each set of attribute values leaves: what is left without any, and by each of the values. That is an
// intersection, so two tables are enough, each for the values of two attributes.
template <class T>
class ByValues {
 public:
  template <class F>
  ByValues(const T& without_any, const F& left_by) {
    for (int half = 0; half < 2; ++half) {
      auto& table = table_[idx(half)];
      table[0] = without_any;
      for (int i = 0; i < kAttributes; ++i) {
        const T left = left_by(kAttributes * half + i);
        for (std::size_t others = 0; others < 1U << i; ++others) table[1U << i | others] = table[others] & left;
      }
    }
  }
  T operator()(unsigned values) const { return table_[0][values & 0xF] & table_[1][values >> 4]; }

 private:
  std::array<std::array<T, 1 << kAttributes>, 2> table_;
};

struct Pieces {
  unsigned all;                                    // rows
  std::array<AttributeValues, kMost> own{};        // by row: its attribute values
  std::array<unsigned, kAttributeValues> without;  // by attribute value: the rows that do not have it

  explicit Pieces(const PairsInput& in) : all((1U << in.n) - 1) {
    for (int row = 0; row < in.n; ++row) own[idx(row)] = kAttributeValueSetOf[in.pieces[idx(row)]];
    without.fill(all);
    for (int row = 0; row < in.n; ++row) {
      for (int c = 0; c < kAttributeValues; ++c) without[idx(c)] &= ~(unsigned{has(row, c)} << row);
    }
  }
  bool has(int row, int c) const { return (own[idx(row)] >> c & 1) != 0; }
};

// The rows that remain safe to give if lines can be completed with a set of attribute values, of which only those count
// that every piece has that was placed on the lines. Such a piece is not left itself.
struct Remaining {
  ByValues<Word> by_none;    // no piece: the same for each byte
  ByValues<Word> by_byte;    // [j]: the piece j
  ByValues<Matrix> by_row;   // [i][j]: the piece i
  ByValues<Matrix> by_both;  // [i][j]: the pieces i and j; they are not excluded here

  explicit Remaining(const Pieces& pieces)
      : by_none(everywhere(pieces.all), [&](int c) { return everywhere(pieces.without[idx(c)]); }),
        by_byte(~kItself, [&](int c) { return by_byte_of(pieces, c); }),
        by_row(Matrix::by_word([](int i) { return ~everywhere(1U << i); }),
               [&](int c) { return Matrix::all(everywhere(pieces.without[idx(c)])) | lacking(pieces, c); }),
        by_both(Matrix::all(~Word{0}), [&](int c) { return Matrix::all(by_byte_of(pieces, c)) | lacking(pieces, c); }) {
  }

 private:
  static constexpr Word kItself = 0x80'40'20'10'08'04'02'01;  // [j]: row j

  // What does not have c restricts nothing.
  static Word by_byte_of(const Pieces& pieces, int c) {
    Word word = 0;
    for (int j = 0; j < kMost; ++j) word |= only(j, pieces.has(j, c) ? pieces.without[idx(c)] : 0xFF);
    return word;
  }
  static Matrix lacking(const Pieces& pieces, int c) {
    return Matrix::by_word([&](int i) { return pieces.has(i, c) ? Word{0} : ~Word{0}; });
  }
};

constexpr std::uint8_t kNothing = kMost;  // in place of m: the receiver has nothing safe to give

// m for each row p on s and, by byte, each row q on z; kNothing for other p than those of `rows`. Undefined if q is p
// or a line is completed.
//
// After p on s, q on z and r on w the pieces with one of these attribute values are not safe to give:
//
//     one[s][z][w] | two[s][z][w] & own(p) | two[z][s][w] & own(q) | two[w][s][z] & own(r)
//                  | three[s][z][w] & own(p) & own(q) | three[s][w][z] & own(p) & own(r)
//                  | three[z][w][s] & own(q) & own(r) | four[s][z][w] & own(p) & own(q) & own(r)
//
// So those that are safe are the intersection of a set for each term. For one p, these sets for all r and q are a
// matrix [r][q] of 64 bytes: one AVX-512 register.
Words least_by_reply(const Gaps& gaps, const Pieces& pieces, const Remaining& left, int n, int s, int z, Mask rows) {
  const auto values = [](const Gaps::Table& table, int i, int j, int k) { return byte_of(table[idx(i)][idx(j)], k); };
  // The terms without own(r): [p][q]. With w = s, which no line has for another gap: before r is placed.
  const auto first = [&](int w) {
    return left.by_row(values(gaps.two, s, z, w)) & left.by_both(values(gaps.three, s, z, w)) &
           Matrix::all(left.by_none(values(gaps.one, s, z, w)) & left.by_byte(values(gaps.two, z, s, w)));
  };
  struct Placement {
    Matrix pq, rq;     // the terms without own(r), the others without own(p)
    unsigned pr, pqr;  // the attribute values of the others
  };
  std::array<Placement, kMost> placements;
  int count = 0;
  for (int w = 0; w < n; ++w) {
    if (w == s || w == z) continue;
    placements[idx(count++)] = {first(w),
                                left.by_row(values(gaps.two, w, s, z)) & left.by_both(values(gaps.three, z, w, s)),
                                values(gaps.three, s, w, z), values(gaps.four, s, z, w)};
  }
  const Matrix given = first(s), bit = Matrix::by_word([](int r) { return everywhere(1U << r); });
  Words least;
  least.fill(everywhere(kNothing));
  for (const int p : BitsOf(rows)) {
    const unsigned own = pieces.own[idx(p)];
    Matrix kept{};  // [r][q]: the number of w after which something is safe
    for (int i = 0; i < count; ++i) {
      const Placement& w = placements[idx(i)];
      Matrix safe = Matrix::all(w.pq[p]) & w.rq & left.by_row(w.pr & own);
      if (w.pqr & own) safe = safe & left.by_both(w.pqr & own);
      kept = Matrix::of([&](int k) { return kept.part[k] - reinterpret_cast<Part>(safe.part[k] != 0); });
    }
    const Matrix gives = Matrix::all(given[p]) & bit;  // [r][q]: not zero if r is safe to give
    least[idx(p)] =
        least_of_column(Matrix::of([&](int k) { return gives.part[k] != 0 ? kept.part[k] : Part{} + kNothing; }));
  }
  return least;
}

// ThirdPlacement::Counts of one s, for each p and q.
struct Tally {
  Matrix none{}, one{}, odd{}, least = Matrix::all(everywhere(kThirdCounts - 1));

  void add(const Words& words) {
    static_assert(kNothing > 1 && kNothing % 2 == 0 && kNothing >= kThirdCounts);
    const Matrix m = Matrix::load(words);
    for (int i = 0; i < Matrix::kParts; ++i) {
      none.part[i] -= reinterpret_cast<Part>(m.part[i] == 0);
      one.part[i] -= reinterpret_cast<Part>(m.part[i] == 1);
      odd.part[i] += m.part[i] & 1;
      least.part[i] = m.part[i] < least.part[i] ? m.part[i] : least.part[i];
    }
  }
};

}  // namespace

// m depends on the board only, so when giving, p on s and q on z is counted once for both orders.
void ThirdPlacement::count(const PairsInput& in) {
  const int n = in.n;
  if (n > kMost) return;
  // By column: the rows p of the pairs with counts, and the pieces that are given after some pair.
  std::array<Mask, kMost> rows{}, given_after{};
  Mask counted = 0;
  for (int row = 0; row < n; ++row) {
    row_of_[in.pieces[idx(row)]] = static_cast<std::uint8_t>(row);
    for (int s = 0; s < n; ++s) {
      const Mask q = given(in, row * n + s);
      if (q) rows[idx(s)] = static_cast<Mask>(rows[idx(s)] | 1U << row);
      given_after[idx(s)] = static_cast<Mask>(given_after[idx(s)] | q);
    }
  }
  for (int s = 0; s < n; ++s) counted = static_cast<Mask>(counted | rows[idx(s)]);
  if (!counted) return;
  const auto rows_of = [&](Mask set) {
    Mask r = 0;
    for (int row = 0; row < n; ++row) r = static_cast<Mask>(r | (set >> in.pieces[idx(row)] & 1U) << row);
    return r;
  };

  const Gaps gaps(in);
  const Pieces pieces(in);
  const Remaining left(pieces);
  std::array<Tally, kMost> tally;
  for (int z = 0; z < n; ++z) {
    const Mask second = in.placing ? Mask{0} : rows_of(given_after[idx(z)]);
    for (int s = 0; s < (in.placing ? n : z); ++s) {
      const Mask asked = rows[idx(s)] | second;
      if (s == z || !asked) continue;
      const Words m = least_by_reply(gaps, pieces, left, n, s, z, asked);
      tally[idx(s)].add(m);
      if (!in.placing) tally[idx(z)].add(transposed(m));
    }
  }
  for (int s = 0; s < n; ++s) {
    const Tally& t = tally[idx(s)];
    for (const int row : BitsOf(rows[idx(s)]))
      counts_[idx(row * n + s)] = {t.none[row], t.one[row], t.odd[row], t.least[row]};
  }
}

}  // namespace quarto::light
