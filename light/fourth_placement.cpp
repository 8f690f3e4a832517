#include "light/fourth_placement.h"

#include "env/attribute_values.h"
#include "light/column_sets.h"

namespace quarto::light {
namespace {

constexpr int kMost = kMostFourthSquares;
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

static_assert(kMost <= static_cast<int>(sizeof(Word)));
constexpr unsigned any(Word word) {
  word |= word >> 32;
  word |= word >> 16;
  word |= word >> 8;
  return static_cast<unsigned>(word & 0xFF);
}
Word own(int piece) { return everywhere(kAttributeValueSetOf[at(piece)]); }
Mask without(Mask pieces, int piece) { return static_cast<Mask>(pieces & ~(1U << piece)); }

// The values that lines with so many gaps are alive for, indexed by all gaps but the last; that is the byte of a word.
struct Gaps {
  using Row = std::array<Word, kMost>;
  using Table = std::array<Row, kMost>;
  Word one = 0;
  Row two{};
  Table three{};
  std::array<Table, kMost> four{};

  explicit Gaps(const PairsInput& in) {
    const auto values = in.values_by_line();
    for (int l = 0; l < in.lines; ++l) {
      if (values[at(l)]) add(in.line[at(l)], values[at(l)]);
    }
  }

 private:
  // In every order of its gaps.
  void add(const PairsInput::Line& line, unsigned values) {
    Word gaps = 0;
    for (int i = 0; i < line.columns; ++i) gaps |= only(line.column[at(i)], values);
    if (line.columns == 1) one |= gaps;
    for (int i = 0; i < line.columns; ++i) {
      const int a = line.column[at(i)];
      const Word after_a = gaps & ~only(a, 0xFF);
      if (line.columns == 2) two[at(a)] |= after_a;
      for (int j = 0; j < line.columns; ++j) {
        const int b = line.column[at(j)];
        const Word after_b = after_a & ~only(b, 0xFF);
        if (line.columns == 3 && i != j) three[at(a)][at(b)] |= after_b;
        for (int k = 0; k < line.columns; ++k) {
          const int c = line.column[at(k)];
          if (line.columns == 4 && i != j && i != k && j != k) four[at(a)][at(b)][at(c)] |= after_b & ~only(c, 0xFF);
        }
      }
    }
  }
};

// Whether answers hold. After a piece was placed on a column, the lines through it have one gap less, and of their
// values those are left that the piece has.
class Answers {
 public:
  explicit Answers(const PairsInput& in) : gaps_(in), n_(in.n), all_(~Word{0} >> (64 - 8 * in.n)) {
    for (int row = 0; row < n_; ++row) left_ = static_cast<Mask>(left_ | 1U << in.pieces[at(row)]);
  }

  void place_first(int p, int s) {
    pieces_ = without(left_, p);
    free_ = all_ & ~only(s, 0xFF);
    one_ = (gaps_.one | (gaps_.two[at(s)] & own(p))) & free_;
    for (int c = 0; c < n_; ++c) {
      two_[at(c)] = (gaps_.two[at(c)] | (gaps_.three[at(s)][at(c)] & own(p))) & free_;
      for (int k = 0; k < n_; ++k)
        three_[at(c)][at(k)] = (gaps_.three[at(c)][at(k)] | (gaps_.four[at(s)][at(c)][at(k)] & own(p))) & free_;
    }
  }

  // Of q on z, after place_first().
  bool holds(int q, int z) const {
    Second board{q, z, without(pieces_, q), free_ & ~only(z, 0xFF), 0, {}};
    board.one = (one_ | (two_[at(z)] & own(q))) & board.free;
    const Mask safe = static_cast<Mask>(board.pieces & kPiecesWithout[any(board.one)]);
    if (!safe) return false;
    for (int c = 0; c < n_; ++c) board.two[at(c)] = (two_[at(c)] | (three_[at(z)][at(c)] & own(q))) & board.free;
    for (const int r : BitsOf(safe)) {
      if (!wins(board, r)) return true;
    }
    return false;
  }

 private:
  struct Second {
    int q, z;
    Mask pieces;  // that are left
    Word free;    // all values on the columns that are empty
    Word one;     // lines with one gap
    Gaps::Row two;
  };

  // Whether the player wins with r on some w.
  bool wins(const Second& board, int r) const {
    const Mask pieces = without(board.pieces, r);
    for (int w = 0; w < n_; ++w) {
      if (!(board.free & only(w, 1))) continue;
      const Word free = board.free & ~only(w, 0xFF);
      const Word one = (board.one | (board.two[at(w)] & own(r))) & free;
      auto winning = static_cast<Mask>(pieces & kPiecesWithout[any(one)]);  // the t that no x refutes so far
      for (int x = 0; x < n_ && winning; ++x) {
        if (!(free & only(x, 1))) continue;
        const Word three = three_[at(w)][at(x)] | (gaps_.four[at(board.z)][at(w)][at(x)] & own(board.q));
        const unsigned two = any((board.two[at(x)] | (three & own(r))) & free);
        const unsigned elsewhere = any(one & ~only(x, 0xFF));
        for (const int t : BitsOf(winning)) {
          const unsigned completes = elsewhere | (two & kAttributeValueSetOf[at(t)]);
          if (without(pieces, t) & kPiecesWithout[completes]) winning = without(winning, t);
        }
      }
      if (winning) return true;
    }
    return false;
  }

  Gaps gaps_;
  int n_;
  Word all_;
  Mask left_ = 0;
  // After the first placement.
  Mask pieces_ = 0;
  Word free_ = 0, one_ = 0;
  Gaps::Row two_{};
  Gaps::Table three_{};
};

}  // namespace

// Whether an answer holds depends on the board only, so when giving, p on s and q on z is looked at once for both
// orders.
void FourthPlacement::count(const PairsInput& in) {
  const int n = in.n;
  if (n > kMostFourthSquares || n < kFewestFourthSquares) return;
  Answers answers(in);
  constexpr std::int8_t kUnknown = -1;
  std::array<std::array<std::int8_t, kMost * kMost>, kMost * kMost> known;  // by both pairs
  for (auto& of_pair : known) of_pair.fill(kUnknown);
  for (int pair = 0; pair < n * n; ++pair) {
    const Mask pieces = given(in, pair);
    if (!pieces) continue;
    const int s = pair % n;
    answers.place_first(in.pieces[at(pair / n)], s);
    for (int row = 0; row < n; ++row) {
      const int q = in.pieces[at(row)];
      if (!(pieces >> q & 1)) continue;
      int holding = 0;
      for (int z = 0; z < n; ++z) {
        if (z == s) continue;
        const int answer = row * n + z;
        std::int8_t& holds = known[at(pair)][at(answer)];
        if (holds == kUnknown) holds = known[at(answer)][at(pair)] = answers.holds(q, z);
        holding += holds;
      }
      holding_[at(pair)][at(q)] = static_cast<std::uint8_t>(holding);
    }
  }
}

}  // namespace quarto::light
