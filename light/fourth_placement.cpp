#include "light/fourth_placement.h"

#include <bit>

#include "base/index.h"
#include "env/attribute_values.h"
#include "light/column_sets.h"

namespace quarto::light {
namespace {

constexpr int kMost = kMostFourthSquares;
static_assert(kMost == kWordBytes);

// Matrices here are [w][x]: r is placed on w, then t on x.
constexpr auto kBitOfW = [] {
  Words words{};
  for (int w = 0; w < kMost; ++w) words[idx(w)] = everywhere(1U << w);
  return words;
}();
constexpr auto kBitOfX = [] {
  Words words{};
  words.fill(0x80'40'20'10'08'04'02'01);
  return words;
}();
constexpr auto kSame = [] {  // where w = x
  Words words{};
  for (int w = 0; w < kMost; ++w) words[idx(w)] = only(w, 0xFF);
  return words;
}();
// Where w or x is one of `columns`; `bits` are kBitOfW or kBitOfX.
Matrix among(unsigned columns, const Words& bits) {
  const Matrix found = Matrix::all(everywhere(columns)) & Matrix::load(bits);
  return Matrix::of([&](int i) { return reinterpret_cast<Matrix::Part>(found.part[i] != 0); });
}

// Whether answers hold, on a board with N empty columns. All w and x are looked at together: a line on which r and t
// leave one gap can be completed with those of its values that all pieces placed on it have.
template <int N>
class Answers {
 public:
  explicit Answers(const PairsInput& in) {
    for (int row = 0; row < N; ++row) own_[idx(row)] = everywhere(kAttributeValueSetOf[in.pieces[idx(row)]]);
    const auto values = in.values_by_line();
    for (int l = 0; l < in.lines; ++l) {
      unsigned gaps = 0;
      for (int i = 0; i < in.line[idx(l)].columns; ++i) gaps |= 1U << in.line[idx(l)].column[idx(i)];
      if (values[idx(l)]) lines_[idx(count_++)] = {gaps, everywhere(values[idx(l)])};
    }
  }

  void take(int s, int z) {
    const unsigned taken = 1U << s | 1U << z;
    values_ = {};
    before_r_ = {};
    // As if everything were completed where x is no empty column: it refutes nothing, and w = x lets no t be given.
    constexpr unsigned kBeyond = 0xFF & ~((1U << N) - 1);
    values_[0][kNeither] = among(taken | kBeyond, kBitOfX);
    const Matrix same = Matrix::load(kSame);
    for (int i = 0; i < count_; ++i) {
      const auto [gaps, set] = lines_[idx(i)];
      const unsigned left = gaps & ~taken, on = (gaps >> s & 1) | (gaps >> z & 1) << 1;
      const Matrix w = among(left, kBitOfW), x = among(left, kBitOfX), values = Matrix::all(set);
      Values& to = values_[on];
      switch (std::popcount(left)) {
        case 1:
          before_r_[on] |= set;
          to[kNeither] = to[kNeither] | (values & ~(w | x));
          break;
        case 2:  // w = x stands for the board before t is placed
          to[kW] = to[kW] | (values & w & (~x | same));
          to[kX] = to[kX] | (values & x & ~w);
          break;
        case 3:
          to[kBoth] = to[kBoth] | (values & w & x & ~same);
          break;
        default:
          break;
      }
    }
  }

  // After take(): p on s or, `swapped`, on z.
  void place(int p, bool swapped) {
    p_ = p;
    const Word own = own_[idx(p)];
    const std::size_t mine = swapped ? 2 : 1, other = 3 - mine;
    for (std::size_t k = 0; k < kThrough; ++k) {
      after_p_[0][k] = values_[0][k] | (values_[mine][k] & Matrix::all(own));
      after_p_[1][k] = values_[other][k] | (values_[3][k] & Matrix::all(own));
    }
    before_r_after_p_ = {before_r_[0] | (before_r_[mine] & own), before_r_[other] | (before_r_[3] & own)};
  }

  // After place(): q on the other one of s and z.
  bool holds(int q) const {
    const Word own = own_[idx(q)], danger = before_r_after_p_[0] | (before_r_after_p_[1] & own);
    Left left;
    const int low = p_ < q ? p_ : q, high = p_ < q ? q : p_;
    Mask safe = 0;
    for (int i = 0; i < N - 2; ++i) {
      const int not_low = i + (i >= low);
      left[idx(i)] = own_[idx(not_low + (not_low >= high))];
      safe = static_cast<Mask>(safe | unsigned{(left[idx(i)] & danger) == 0} << i);
    }
    if (!safe) return false;
    Values values;
    for (std::size_t k = 0; k < kThrough; ++k) values[k] = after_p_[0][k] | (after_p_[1][k] & Matrix::all(own));
    for (const int r : BitsOf(safe)) {
      if (!wins(values, left, r)) return true;
    }
    return false;
  }

 private:
  // The values of lines with one gap after r on w and t on x, by which of w and x were gaps of the line.
  enum Through { kNeither, kW, kX, kBoth, kThrough };
  using Values = std::array<Matrix, kThrough>;
  using Left = std::array<Word, N - 2>;  // the attribute values of the pieces that are left after p and q

  // Whether the player wins with left[r] on some w.
  static bool wins(const Values& values, const Left& left, int r) {
    using Part = Matrix::Part;
    constexpr int kOthers = N - 3;
    Part other[kOthers];  // NOLINT(modernize-avoid-c-arrays): std::array would drop the attributes of a vector
    for (int i = 0; i < kOthers; ++i) other[i] = Matrix::filled(left[idx(i + (i >= r))]);
    const Part own = Matrix::filled(left[idx(r)]);
    Part won{};
    for (int i = 0; i < Matrix::kParts; ++i) {
      const auto after_r = [&](Through without, Through with) {
        return values[without].part[i] | (values[with].part[i] & own);
      };
      const Part same = Matrix::load(kSame).part[i], danger = after_r(kNeither, kW), by_t = after_r(kX, kBoth);
      for (int t = 0; t < kOthers; ++t) {
        // An x refutes t if some piece is safe to give then; w = x does if t wins at once.
        const Part after_t = danger | same | (by_t & other[t]);
        Part least = after_t & other[t == 0];
        for (int u = t == 0 ? 2 : 1; u < kOthers; ++u) {
          const Part hit = after_t & other[u];
          if (u != t) least = least < hit ? least : hit;
        }
        const Part refuted = reinterpret_cast<Part>(least == 0) | (danger & same & other[t]);
        won |= reinterpret_cast<Part>(reinterpret_cast<Matrix::PartWords>(refuted) == 0);
      }
    }
    return any(won);
  }

  struct Line {
    unsigned gaps;
    Word values;
  };
  int count_ = 0;
  std::array<Line, kMostLines> lines_;
  std::array<Word, N> own_;  // by row
  // By which of s and z were gaps of the line; and the values of lines with one gap before r is placed.
  std::array<Values, 4> values_;
  std::array<Word, 4> before_r_;
  // The same after p is placed, by whether the other one of s and z was a gap.
  int p_ = 0;
  std::array<Values, 2> after_p_;
  std::array<Word, 2> before_r_after_p_;
};

}  // namespace

// Whether an answer holds depends on the board only, so when giving, p on s and q on z is looked at once for both
// orders.
template <int N>
void FourthPlacement::count_on(const PairsInput& in) {
  // By column and row, rows: of the q that are given after p, and of the p after which q is given.
  std::array<std::array<unsigned, N>, N> after{}, before{};
  bool some = false;
  for (int pair = 0; pair < N * N; ++pair) {
    holding_[idx(pair)].fill(0);
    const Mask pieces = given(in, pair);
    if (!pieces) continue;
    some = true;
    const int p = pair / N, s = pair % N;
    for (int q = 0; q < N; ++q) {
      const unsigned yes = pieces >> in.pieces[idx(q)] & 1U;
      after[idx(s)][idx(p)] |= yes << q;
      if (!in.placing) before[idx(s)][idx(q)] |= yes << p;
    }
  }
  if (!some) return;
  Answers<N> answers(in);
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < i; ++j) {
      bool taken = false;
      for (const bool swapped : {false, true}) {
        if (swapped && !in.placing) break;
        const int s = swapped ? i : j, z = swapped ? j : i;
        for (int p = 0; p < N; ++p) {
          const unsigned asked = after[idx(s)][idx(p)] | before[idx(z)][idx(p)];
          if (!asked) continue;
          if (!taken) answers.take(j, i);
          taken = true;
          answers.place(p, swapped);
          for (const int q : BitsOf(static_cast<Mask>(asked))) {
            const bool holds = answers.holds(q);
            const auto add = [&](int pair, int row) {
              std::uint8_t& holding = holding_[idx(pair)][in.pieces[idx(row)]];
              holding = static_cast<std::uint8_t>(holding + holds);
            };
            add(p * N + s, q);
            if (!in.placing) add(q * N + z, p);
          }
        }
      }
    }
  }
}

void FourthPlacement::count(const PairsInput& in) {
  static_assert(kFewestFourthSquares == 5 && kMostFourthSquares == 8);
  switch (in.n) {
    case 5:
      return count_on<5>(in);
    case 6:
      return count_on<6>(in);
    case 7:
      return count_on<7>(in);
    case 8:
      return count_on<8>(in);
    default:
      break;
  }
}

}  // namespace quarto::light
