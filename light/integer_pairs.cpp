#include "light/integer_pairs.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/index.h"
#include "light/input_rows.h"
#include "light/integer_vectors.h"

namespace quarto::light {
namespace {

namespace at = pairs_entry;

using namespace integer;  // NOLINT(google-build-using-namespace)

Words active(Words x) { return smaller(larger(x, Words{}), all_of(kMostActivation)); }
Words limited(Words x) { return smaller(larger(x, all_of(kLeastTerm)), all_of(kMostTerm)); }

// y = change(y) and y = change(x, y), for rows of W numbers.
template <int W, class F>
void for_words(Number* y, const F& change) {
  for (int l = 0; l < W / kWords; ++l) words(y)[l] = change(words(y)[l]);
}
template <int W, class F>
void for_words(const Number* x, Number* y, const F& change) {
  for (int l = 0; l < W / kWords; ++l) words(y)[l] = change(words(x)[l], words(y)[l]);
}
template <int W>
void add(const Number* x, Number* y) {
  for_words<W>(x, y, plus);
}
// y = change(the sum of the rows row(0) to row(count - 1))
template <int W, class R, class F>
void sum_rows(int count, const R& row, Number* y, const F& change) {
  Words sum[W / kWords] = {};  // NOLINT(modernize-avoid-c-arrays)
  for (int k = 0; k < count; ++k) {
    const Words* x = words(row(k));
    for (int l = 0; l < W / kWords; ++l) sum[l] = plus(sum[l], x[l]);
  }
  for (int l = 0; l < W / kWords; ++l) words(y)[l] = change(sum[l]);
}
Words at_most(Words x) { return smaller(x, all_of(kMostActivation)); }

// Rows, columns and all of a board's pairs, as Pools in pairs_parts.h; activations.
template <int W>
struct IntegerPools {
  static constexpr int kRow = 2 * W, kColumn = 3 * W;
  alignas(64) std::array<Number, kPieces * kRow> rows;         // sum, max
  alignas(64) std::array<Number, kSquares * kColumn> columns;  // the piece in hand, sum, max
  alignas(64) std::array<Number, 2 * W> all;                   // sum, max
  alignas(64) std::array<Number, kSquares * W> column_total;   // the sums of columns, whole

  Number* row_sum(int i) { return rows.data() + i * kRow; }
  Number* row_max(int i) { return rows.data() + i * kRow + W; }
  Number* hand(int i) { return columns.data() + i * kColumn; }
  Number* column_sum(int i) { return columns.data() + i * kColumn + W; }
  Number* column_max(int i) { return columns.data() + i * kColumn + 2 * W; }
};

// The most lines through a square, so that as many terms add up in 16 bits.
constexpr int kMostThrough = [] {
  int most = 0;
  for (const RuleSet& rules : kRuleSets) {
    for (int square = 0; square < kSquares; ++square) {
      int through = 0;
      for (const Mask set : rules.sets()) through += (set >> square) & 1;
      most = std::max(most, through);
    }
  }
  return most;
}();
static_assert(kMostThrough * -kLeastTerm <= 32768);

// Indices of lines.
struct Lines {
  int count = 0;
  std::array<std::uint8_t, kMostThrough> index;
  void add(int line) { index[idx(count++)] = static_cast<std::uint8_t>(line); }
};

template <int W>
struct Board final : PairsKernel::Workspace {
  std::unique_ptr<PairsInput> input;
  PairCounts counts;
  IntegerPools<W> pools;
  alignas(64) std::array<Number, kMostPairs * W> h, r, inner;
  alignas(64) std::array<Number, kAttributeValues * kSquares * W> by_value;
  alignas(64) std::array<Number, kMostAlive * W> line_in, message, told;
  alignas(64) std::array<Number, kMostLines * W> line_squares, per_line;
  alignas(64) std::array<Number, kSquares * W> to_square;
  alignas(64) std::array<Number, kPieces * W> row_terms;
  alignas(64) std::array<Number, kSquares * W> column_terms;
  alignas(64) std::array<Number, kSquares * kHeadWidth> hidden;
  std::array<Lines, kSquares> through;                      // by column, of `line`
  std::array<Lines, kAttributeValues * kSquares> alive_at;  // by value and column, of `alive`
};

template <int W>
class IntegerKernel final : public PairsKernel {
 public:
  explicit IntegerKernel(const IntegerWeights& given)
      : shape_(given.shape), layout_(given.shape), weights_(given.weights.size()) {
    for (int b = 0; b <= shape_.blocks; ++b) to_input_.push_back(given.pair_bits() - given.input_bits(b));
    logit_bits_ = given.hidden_bits(shape_.blocks);
    for (std::size_t i = 0; i < layout_.entries.size(); ++i) {
      const PairsLayout::Entry& e = layout_.entries[i];
      const Number* from = given.weights.data() + e.offset;
      const bool shifted = is_matrix(e) && !gives_logits(e);  // the others are read as they are
      shifts_.push_back(shifted ? product_shift(given, static_cast<int>(i)) : given.shifts[i]);
      if (shifted)
        pack(from, e.rows, e.cols, weights_.data() + e.offset);
      else
        std::copy_n(from, e.rows * e.cols, weights_.data() + e.offset);
    }
    for (int t = 0; t < kTables; ++t) table_[idx(t)] = layout_.entries[idx(at::table(shape_.blocks, t))].offset;
  }

  std::unique_ptr<Workspace> new_workspace() const override { return std::make_unique<Board<W>>(); }

  PairsOutput forward(const Position& position, Workspace& workspace) const override {
    auto& b = static_cast<Board<W>&>(workspace);
    if (b.input)
      *b.input = PairsInput(position);
    else
      b.input = std::make_unique<PairsInput>(position);
    list_lines(b);
    stem(b);
    for (int i = 0; i < shape_.blocks; ++i) block(b, i);
    return heads(b);
  }

  void backward(const PairsOutput&, Workspace&, std::span<float>) const override {
    throw std::logic_error("PairsKernel: integers are for playing, not for learning");
  }

 private:
  const Number* weight(int entry) const { return weights_.data() + layout_.entries[idx(entry)].offset; }
  const Number* table(int t) const { return weights_.data() + table_[idx(t)]; }

  // take(row, column, x) for the vectors of x * weight, terms with the layer's fraction bits
  template <int IN, int OUT, class F>
  void product(int entry, const Number* x, int rows, const F& take, int more_shift = 0) const {
    multiply<IN, OUT>(x, weight(entry), shifts_[idx(entry)] + more_shift, rows,
                      [&](int row, int column, Words y) { take(row, column, limited(y)); });
  }
  // y = x * weight
  template <int IN, int OUT>
  void terms(int entry, const Number* x, Number* y, int rows, int more_shift = 0) const {
    product<IN, OUT>(
        entry, x, rows, [y](int row, int column, Words term) { *words(y + row * OUT + column) = term; }, more_shift);
  }
  // y += x * weight
  template <int IN, int OUT>
  void add_terms(int entry, const Number* x, Number* y, int rows) const {
    product<IN, OUT>(entry, x, rows, [y](int row, int column, Words term) {
      Words& to = *words(y + row * OUT + column);
      to = plus(to, term);
    });
  }

  static void list_lines(Board<W>& b) {
    const PairsInput& in = *b.input;
    std::fill_n(b.through.begin(), in.n, Lines());
    std::fill_n(b.alive_at.begin(), kAttributeValues * in.n, Lines());
    for (int i = 0; i < in.lines; ++i) {
      const auto& line = in.line[idx(i)];
      for (int k = 0; k < line.columns; ++k) b.through[line.column[idx(k)]].add(i);
    }
    for (int i = 0; i < in.alive_count; ++i) {
      const auto& a = in.alive[idx(i)];
      const auto& line = in.line[a.line];
      for (int k = 0; k < line.columns; ++k) b.alive_at[idx(a.attribute_value * in.n + line.column[idx(k)])].add(i);
    }
  }

  void stem(Board<W>& b) const {
    const PairsInput& in = *b.input;
    const int phase = in.placing ? kCounts : 0;
    alignas(64) std::array<Number, W> all{};
    add<W>(table(kEmpty) + (phase + in.n) * W, all.data());
    add<W>(table(kSafe) + (phase + in.safe) * W, all.data());
    for (int row = 0; row < in.n; ++row) {
      alignas(64) std::array<Number, W> base = all;
      if (row == in.hand) add<W>(table(kHand), base.data());
      if (in.loses[idx(row)]) add<W>(table(kLoses), base.data());
      for (int i = row * in.n; i < (row + 1) * in.n; ++i) {
        std::copy_n(base.data(), W, b.h.data() + i * W);
        add<W>(table(kPair) + in.category[idx(i)] * W, b.h.data() + i * W);
      }
    }
    const auto count = [&](auto& counts) {
      counts.count(in);
      add_counts(in, counts, b.h.data());
    };
    std::apply([&](auto&... all_counts) { (count(all_counts), ...); }, b.counts);
  }

  template <class C>
  void add_counts(const PairsInput& in, const C& counts, Number* h) const {
    std::array<const Number*, kTables> rows_of_table;
    for (int t = kReplySafe; t < kTables; ++t) rows_of_table[idx(t)] = table(t);
    for (int pair = 0; pair < in.n * in.n; ++pair) {
      if (!C::given(in, pair)) continue;
      alignas(64) std::array<Number, W> sum;
      std::copy_n(h + pair * W, W, sum.data());
      counts.for_each_row(in, pair, [&](int t, int row) { add<W>(rows_of_table[idx(t)] + row * W, sum.data()); });
      std::copy_n(sum.data(), W, h + pair * W);
    }
  }

  // Of a sum of up to sixteen activations, which is below 2^16 and kept as an unsigned number: an eighth.
  static Words eighth(Words sum) { return smaller(scaled<3>(sum), all_of(kMostActivation)); }

  // pool() for ROWS rows together, so that the column pools are read and written once for all of them.
  template <int ROWS>
  static void pool_rows(Board<W>& b, int row, int lost) {
    const int n = b.input->n;
    const Words half = all_of(lost > 0 ? 1 << (lost - 1) : 0);
    for (int l = 0; l < W / kWords; ++l) {
      Words sum[ROWS] = {}, max[ROWS] = {};  // NOLINT(modernize-avoid-c-arrays)
      for (int c = 0; c < n; ++c) {
        Words& s = words(b.pools.column_total.data())[c * W / kWords + l];
        Words& m = words(b.pools.column_max(c))[l];
        Words total = s, most = m;
        for (int k = 0; k < ROWS; ++k) {
          const int i = ((row + k) * n + c) * W / kWords + l;
          const Words x = active(shifted(words(b.h.data())[i] + half, lost));
          words(b.r.data())[i] = x;
          sum[k] = plus(sum[k], x);
          max[k] = larger(max[k], x);
          total = plus(total, x);
          most = larger(most, x);
        }
        s = total;
        m = most;
      }
      for (int k = 0; k < ROWS; ++k) {
        words(b.pools.row_sum(row + k))[l] = eighth(sum[k]);
        words(b.pools.row_max(row + k))[l] = max[k];
      }
    }
  }

  // r = the activations of h for this block, or for the heads, and their pools.
  void pool(Board<W>& b, int block) const {
    const PairsInput& in = *b.input;
    const int n = in.n, lost = to_input_[idx(block)];
    IntegerPools<W>& p = b.pools;
    std::fill_n(p.columns.data(), n * p.kColumn, Number{0});
    std::fill_n(p.column_total.data(), n * W, Number{0});
    p.all.fill(0);
    int row = 0;
    for (; row + 4 <= n; row += 4) pool_rows<4>(b, row, lost);
    for (; row < n; ++row) pool_rows<1>(b, row, lost);
    for (int c = 0; c < n; ++c) {
      for_words<W>(p.column_total.data() + c * W, p.column_sum(c), [](Words sum, Words) { return eighth(sum); });
      add<W>(p.column_sum(c), p.all.data());
      for_words<W>(p.column_max(c), p.all.data() + W, larger);
      if (in.hand >= 0) std::copy_n(b.r.data() + (in.hand * n + c) * W, W, p.hand(c));
    }
    for_words<W>(p.all.data(), eighth);
  }

  // by_value [value][square] = an eighth of the sum of r over the pieces with that value, which are eight at most.
  static void to_attribute_values(Board<W>& b) {
    const int n = b.input->n, row_words = n * W / kWords;
    const Words* all = words(b.pools.column_total.data());
    for (int a = 0; a < kAttributes; ++a) {
      std::array<const Number*, kPieces> with;
      int count = 0;
      for (int row = 0; row < n; ++row) {
        if ((b.input->pieces[idx(row)] >> a) & 1) with[idx(count++)] = b.r.data() + row * n * W;
      }
      Words* lacks = words(b.by_value.data() + 2 * a * n * W);
      Words* has = lacks + row_words;
      for (int i = 0; i < row_words; i += W / kWords) {
        Words sum[W / kWords] = {};  // NOLINT(modernize-avoid-c-arrays)
        for (int k = 0; k < count; ++k) {
          for (int l = 0; l < W / kWords; ++l) sum[l] = plus(sum[l], words(with[idx(k)])[i + l]);
        }
        for (int l = 0; l < W / kWords; ++l) {
          has[i + l] = scaled<3>(sum[l]);
          lacks[i + l] = scaled<3>(minus(all[i + l], sum[l]));
        }
      }
    }
  }

  void lines(Board<W>& b, int block) const {
    const PairsInput& in = *b.input;
    const int n = in.n;
    const auto e = [block](int entry) { return at::block(block, entry); };
    to_attribute_values(b);
    for (int i = 0; i < in.lines; ++i) {
      const auto& line = in.line[idx(i)];
      sum_rows<W>(
          line.columns, [&](int k) { return b.pools.column_sum(line.column[idx(k)]); }, b.line_squares.data() + i * W,
          at_most);
    }
    terms<W, W>(e(at::kLineSquares), b.line_squares.data(), b.per_line.data(), in.lines);
    for (int i = 0; i < in.alive_count; ++i) {
      const auto& a = in.alive[idx(i)];
      const auto& line = in.line[a.line];
      const Number* of_value = b.by_value.data() + a.attribute_value * n * W;
      sum_rows<W>(
          line.columns, [&](int k) { return of_value + line.column[idx(k)] * W; }, b.line_in.data() + i * W, at_most);
    }
    product<W, W>(e(at::kLineAttributeValue), b.line_in.data(), in.alive_count, [&](int i, int column, Words term) {
      const auto& a = in.alive[idx(i)];
      const Words state = *words(weight(e(at::kLineState)) + a.state * W + column);
      const Words line = *words(b.per_line.data() + a.line * W + column);
      *words(b.message.data() + i * W + column) = active(plus(plus(state, line), term));
    });

    // To the squares, summed over all values, a quarter of it; to the pairs, by value, half of it.
    for (int line = 0, i = 0; line < in.lines; ++line) {
      const int first = i;
      while (i < in.alive_count && in.alive[idx(i)].line == line) ++i;
      sum_rows<W>(
          i - first, [&](int k) { return b.message.data() + (first + k) * W; }, b.per_line.data() + line * W,
          [](Words sum) { return at_most(scaled<2>(sum)); });
    }
    for (int c = 0; c < n; ++c) {
      const Lines& through = b.through[idx(c)];
      sum_rows<W>(
          through.count, [&](int k) { return b.per_line.data() + through.index[idx(k)] * W; },
          b.to_square.data() + c * W, at_most);
    }
    terms<W, W>(e(at::kLineToPair), b.message.data(), b.told.data(), in.alive_count, 1);
    for (int i = 0; i < kAttributeValues * n; ++i) {
      const Lines& alive = b.alive_at[idx(i)];
      sum_rows<W>(
          alive.count, [&](int k) { return b.told.data() + alive.index[idx(k)] * W; }, b.by_value.data() + i * W,
          limited);
    }
  }

  // h += out(relu(self + rows + columns + hand + all + lines))
  void block(Board<W>& b, int block) const {
    const PairsInput& in = *b.input;
    const int n = in.n, pairs = n * n;
    const auto e = [block](int entry) { return at::block(block, entry); };
    pool(b, block);
    lines(b, block);

    alignas(64) std::array<Number, W> all;
    std::copy_n(weight(e(at::kBias)), W, all.data());
    add_terms<2 * W, W>(e(at::kAll), b.pools.all.data(), all.data(), 1);
    terms<2 * W, W>(e(at::kRows), b.pools.rows.data(), b.row_terms.data(), n);
    terms<3 * W, W>(e(at::kColumns), b.pools.columns.data(), b.column_terms.data(), n);
    add_terms<W, W>(e(at::kLineToSquare), b.to_square.data(), b.column_terms.data(), n);
    for (int i = 0; i < n; ++i) {
      for_words<W>(all.data(), b.row_terms.data() + i * W, [](Words x, Words y) { return limited(plus(x, y)); });
      for_words<W>(b.column_terms.data() + i * W, limited);
    }
    for (int row = 0; row < n; ++row) {
      const auto& values = kAttributeValuesOf[in.pieces[idx(row)]];
      const auto told_to = [&](int a) { return words(b.by_value.data() + values[idx(a)] * n * W); };
      const Words *x0 = told_to(0), *x1 = told_to(1), *x2 = told_to(2), *x3 = told_to(3);
      const Words* columns = words(b.column_terms.data());
      Words* inner = words(b.inner.data() + row * n * W);
      for (int l = 0; l < W / kWords; ++l) {
        const Words of_row = words(b.row_terms.data() + row * W)[l];
        for (int i = l; i < n * W / kWords; i += W / kWords)
          inner[i] = plus(plus(plus(x0[i], x1[i]), plus(x2[i], x3[i])), plus(of_row, columns[i]));
      }
    }
    product<W, W>(e(at::kSelf), b.r.data(), pairs, [&](int pair, int column, Words term) {
      Words& inner = *words(b.inner.data() + pair * W + column);
      inner = active(plus(inner, term));
    });
    const Number* bias = weight(e(at::kOutBias));
    product<W, W>(e(at::kOut), b.inner.data(), pairs, [&](int pair, int column, Words term) {
      Words& h = *words(b.h.data() + pair * W + column);
      const Words sum = plus(plus(h, term), *words(bias + column));
      h = smaller(larger(sum, all_of(-kMostState - 1)), all_of(kMostState));
    });
  }

  PairsOutput heads(Board<W>& b) const {
    const PairsInput& in = *b.input;
    const int n = in.n;
    const auto e = [this](int entry) { return at::head(shape_.blocks, entry); };
    pool(b, shape_.blocks);
    PairsOutput out{};

    alignas(64) std::array<Number, kHeadWidth> all;
    std::copy_n(weight(e(in.placing ? at::kPlaceBias : at::kGiveBias)), kHeadWidth, all.data());
    add_terms<2 * W, kHeadWidth>(e(in.placing ? at::kPlaceAll : at::kGiveAll), b.pools.all.data(), all.data(), 1);
    if (in.placing)
      terms<3 * W, kHeadWidth>(e(at::kPlaceColumns), b.pools.columns.data(), b.hidden.data(), n);
    else
      terms<2 * W, kHeadWidth>(e(at::kGiveRows), b.pools.rows.data(), b.hidden.data(), n);
    const int policy = e(in.placing ? at::kPlaceOut : at::kGiveOut);
    for (int i = 0; i < n; ++i) {
      Number* hidden = b.hidden.data() + i * kHeadWidth;
      add<kHeadWidth>(all.data(), hidden);
      out.policy[in.placing ? in.squares[idx(i)] : in.pieces[idx(i)]] = logit(policy, 0, hidden, 0);
    }

    alignas(64) std::array<Number, kHeadWidth> hidden;
    std::copy_n(weight(e(at::kOutcomeBias)), kHeadWidth, hidden.data());
    add_terms<2 * W, kHeadWidth>(e(at::kOutcomeAll), b.pools.all.data(), hidden.data(), 1);
    if (in.placing) {
      alignas(64) std::array<Number, 2 * W> hand{};
      for (int c = 0; c < n; ++c) {
        add<W>(b.pools.hand(c), hand.data());
        for_words<W>(b.pools.hand(c), hand.data() + W, larger);
      }
      for_words<W>(hand.data(), eighth);
      add_terms<2 * W, kHeadWidth>(e(at::kOutcomeHand), hand.data(), hidden.data(), 1);
    }
    for (int i = 0; i < 3; ++i)
      out.outcome[idx(i)] = logit(e(at::kOutcomeOut), i, hidden.data(), weight(e(at::kOutcomeOutBias))[i]);
    return out;
  }

  // The product of the activations of `hidden` with a row of the matrix, and the bias. The integer is exact, and rounding
  // it to a float is the same everywhere.
  float logit(int entry, int row, const Number* hidden, Number bias) const {
    const int shift = shifts_[idx(entry)];
    const Number* w = weight(entry) + row * kHeadWidth;
    std::int32_t sum = 0;
    for (int i = 0; i < kHeadWidth; ++i) sum += std::clamp<std::int32_t>(hidden[i], 0, kMostActivation) * w[i];
    // A bias has the fraction bits of an activation.
    const auto whole = static_cast<std::int64_t>(sum) + (std::int64_t{bias} << shift);
    return static_cast<float>(std::ldexp(static_cast<double>(whole), -logit_bits_ - shift));
  }

  PairsShape shape_;
  PairsLayout layout_;
  std::vector<int> to_input_;  // by block and for the heads: the fraction bits that an input loses
  std::vector<int> shifts_;    // by entry: product_shift(); of a matrix of logits its own
  int logit_bits_ = 0;         // of the hidden layer of the heads
  std::vector<Number, Aligned<Number>> weights_;
  std::array<int, kTables> table_{};
};

}  // namespace

std::unique_ptr<PairsKernel> make_integer_kernel(const IntegerWeights& weights) {
  require_usable(weights);
  switch (weights.shape.width) {
    case 16:
      return std::make_unique<IntegerKernel<16>>(weights);
    case 32:
      return std::make_unique<IntegerKernel<32>>(weights);
    case 48:
      return std::make_unique<IntegerKernel<48>>(weights);
    default:
      return std::make_unique<IntegerKernel<64>>(weights);
  }
}

}  // namespace quarto::light
