#include "light/integer_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/random.h"
#include "env/random_play.h"
#include "light/input_rows.h"
#include "light/integer_vectors.h"
#include "light/pairs_weights.h"
#include "light/softmax.h"

namespace quarto::light {
namespace {

namespace at = pairs_entry;

using Number = std::int16_t;
constexpr int kHead = kHeadWidth;
constexpr int kMostPairs = kPieces * kSquares;
constexpr int kMostAlive = kMostLines * kAttributeValues;
// Of what is added to a pre-activation: seven of them add up in 16 bits.
constexpr int kMostTerm = kMostActivation, kLeastTerm = -kMostActivation - 1;
// Of a pair's vector between blocks: a term and a bias more fit in 16 bits.
constexpr int kMostState = 16383;
constexpr int kMostMatrix = 127, kMostShift = 20;

std::size_t idx(int i) { return static_cast<std::size_t>(i); }

Number activation(std::int32_t x) { return static_cast<Number>(std::clamp(x, 0, kMostActivation)); }
Number term(std::int32_t x) { return static_cast<Number>(std::clamp(x, kLeastTerm, kMostTerm)); }
// Sums of up to sixteen activations are below 2^16: they are kept as unsigned numbers. x / 2^shift, halves up.
template <int SHIFT>
Number scaled(std::uint16_t sum) {
  return static_cast<Number>((static_cast<std::uint32_t>(sum) + (1U << (SHIFT - 1))) >> SHIFT);
}

template <int W>
void add(const Number* __restrict x, Number* __restrict y) {
  for (int l = 0; l < W; ++l)
    y[l] = static_cast<Number>(static_cast<std::uint16_t>(y[l]) + static_cast<std::uint16_t>(x[l]));
}
template <int W>
void max_of(const Number* __restrict x, Number* __restrict y) {
  for (int l = 0; l < W; ++l) y[l] = std::max(x[l], y[l]);
}

// Rows, columns and all of a board's pairs, as Pools in pairs_parts.h; activations.
template <int W>
struct IntegerPools {
  static constexpr int kRow = 2 * W, kColumn = 3 * W;
  alignas(64) std::array<Number, kPieces * kRow> rows;         // sum, max
  alignas(64) std::array<Number, kSquares * kColumn> columns;  // the piece in hand, sum, max
  alignas(64) std::array<Number, 2 * W> all;                   // sum, max

  Number* row(int i) { return rows.data() + i * kRow; }
  Number* column(int i) { return columns.data() + i * kColumn; }
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
  alignas(64) std::array<Number, kSquares * kHead> hidden;
};

// The largest absolute value of a sum of rows: as often as a pair adds a row of a table, for each element the largest.
std::int64_t largest_input(const PairsShape& shape, const PairsLayout& layout, std::span<const Number> weights) {
  const auto times = [](int t) {
    if (t == kReplySafe || t == kReplyOdd || t == kReplyOne) return kMostReplySquares - 1;
    if (t >= kThirdNone && t <= kThirdLeast) return kMostThirdSquares - 1;
    return t == kFourthHolding ? kMostFourthSquares - 1 : 1;
  };
  std::int64_t most = 0;
  for (int j = 0; j < shape.width; ++j) {
    std::int64_t sum = 0;
    for (int t = 0; t < kTables; ++t) {
      const PairsLayout::Entry& e = layout.entries[idx(at::table(shape.blocks, t))];
      int largest = 0;
      for (int i = 0; i < e.rows; ++i)
        largest = std::max(largest, std::abs(int{weights[idx(e.offset + i * e.cols + j)]}));
      sum += std::int64_t{largest} * times(t);
    }
    most = std::max(most, sum);
  }
  return most;
}

// Where an entry stands: its block, the number of blocks for the heads, -1 for a table of the input; and its place in it.
struct Place {
  int block, entry;
};
Place place_of(const PairsShape& shape, int entry) {
  if (entry < at::block(0, 0) || entry >= at::head(shape.blocks, at::kHeads)) return {-1, entry};
  const int block = std::min((entry - at::block(0, 0)) / at::kBlock, shape.blocks);
  return {block, entry - at::block(block, 0)};
}

// Fraction bits of what is added.
int added_bits(const IntegerWeights& w, int entry) {
  const Place place = place_of(w.shape, entry);
  return place.block < 0 || (place.block < w.shape.blocks && place.entry == at::kOutBias) ? w.pair_bits()
                                                                                          : w.hidden_bits(place.block);
}

// By how many bits the sum of a product is shifted: what its factors have more than the result. A logit is not shifted; 1.
int product_shift(const IntegerWeights& w, int entry) {
  const Place place = place_of(w.shape, entry);
  const int shift = w.shifts[idx(entry)];
  if (place.block == w.shape.blocks) {
    if (place.entry == at::kGiveOut || place.entry == at::kPlaceOut || place.entry == at::kOutcomeOut) return 1;
  } else if (place.entry == at::kOut) {
    return w.hidden_bits(place.block) + shift - w.pair_bits();
  } else if (place.entry == at::kLineToPair || place.entry == at::kLineToSquare) {
    return shift;
  }
  return w.input_bits(place.block) + shift - w.hidden_bits(place.block);
}

// Every sum of forward() is proven to fit: products by these limits and the number of their inputs, what is added by
// those of activation() and term(), inputs by largest_input().
void require_in_range(const IntegerWeights& given) {
  const PairsLayout layout(given.shape);
  for (const int bits : given.bits) {
    if (bits > kMostFractionBits)
      throw std::runtime_error(fmt::format("{} fraction bits; {} are the most", bits, kMostFractionBits));
  }
  for (int b = 0; b <= given.shape.blocks; ++b) {
    if (given.input_bits(b) > given.pair_bits())
      throw std::runtime_error(
          fmt::format("an input of {} fraction bits; the pairs have {}", given.input_bits(b), given.pair_bits()));
  }
  const std::span<const Number> weights = given.weights;
  for (std::size_t i = 0; i < layout.entries.size(); ++i) {
    const PairsLayout::Entry& e = layout.entries[i];
    const bool matrix = is_matrix(e);
    const int shift = matrix ? product_shift(given, static_cast<int>(i)) : 0;
    if (given.shifts[i] > kMostShift || (matrix ? shift < 1 || shift > kMostShift : given.shifts[i] != 0))
      throw std::runtime_error(fmt::format("'{}' has {} fraction bits", e.name, given.shifts[i]));
    const int most = matrix ? kMostMatrix : kMostTerm;
    for (const Number w : weights.subspan(idx(e.offset), idx(e.rows * e.cols))) {
      if (std::abs(int{w}) > most)
        throw std::runtime_error(fmt::format("a weight of '{}' is {}; {} is the most", e.name, w, most));
    }
  }
  if (largest_input(given.shape, layout, weights) > kMostState)
    throw std::runtime_error("the rows of the input can add up to more than 16 bits hold");
}

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
      const bool of_logits = is_matrix(e) && e.rows <= 3;  // read by dot products
      shifts_.push_back(!is_matrix(e) ? 0 : of_logits ? given.shifts[i] : product_shift(given, static_cast<int>(i)));
      if (is_matrix(e) && !of_logits)
        integer::pack(from, e.rows, e.cols, weights_.data() + e.offset);
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

  // y = x * weight, a term with the layer's fraction bits
  template <int IN, int OUT>
  void terms(int entry, const Number* x, Number* y, int rows, int more_shift = 0) const {
    const int shift = shifts_[idx(entry)] + more_shift;
    integer::multiply<IN, OUT>(x, weight(entry), y, rows,
                               [shift](std::int32_t sum) { return term(integer::rounded(sum, shift)); });
  }
  // y += x * weight
  template <int IN, int OUT>
  void add_terms(int entry, const Number* x, Number* y, int rows) const {
    alignas(64) std::array<Number, kSquares * OUT> more;
    terms<IN, OUT>(entry, x, more.data(), rows);
    for (int i = 0; i < rows; ++i) add<OUT>(more.data() + i * OUT, y + i * OUT);
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

  // r = the activations of h for this block, or for the heads, and their pools.
  void pool(Board<W>& b, int block) const {
    const int lost = to_input_[idx(block)], half = lost > 0 ? 1 << (lost - 1) : 0;
    const PairsInput& in = *b.input;
    const int n = in.n;
    IntegerPools<W>& p = b.pools;
    std::fill_n(p.rows.data(), n * p.kRow, Number{0});
    std::fill_n(p.columns.data(), n * p.kColumn, Number{0});
    p.all.fill(0);
    for (int row = 0; row < n; ++row) {
      for (int c = 0; c < n; ++c) {
        const Number* h = b.h.data() + (row * n + c) * W;
        Number* r = b.r.data() + (row * n + c) * W;
        for (int l = 0; l < W; ++l) {
          const auto x = static_cast<Number>((h[l] + half) >> lost);
          r[l] = std::min<Number>(std::max<Number>(x, 0), kMostActivation);
        }
        add<W>(r, p.row(row));
        max_of<W>(r, p.row(row) + W);
        add<W>(r, p.column(c) + W);
        max_of<W>(r, p.column(c) + 2 * W);
      }
      eighth(p.row(row));
    }
    for (int c = 0; c < n; ++c) {
      eighth(p.column(c) + W);
      add<W>(p.column(c) + W, p.all.data());
      max_of<W>(p.column(c) + 2 * W, p.all.data() + W);
      if (in.hand >= 0) std::copy_n(b.r.data() + (in.hand * n + c) * W, W, p.column(c));
    }
    eighth(p.all.data());
  }

  // Of sums of up to sixteen activations.
  static void eighth(Number* x) {
    for (int l = 0; l < W; ++l) x[l] = std::min<Number>(scaled<3>(static_cast<std::uint16_t>(x[l])), kMostActivation);
  }

  void lines(Board<W>& b, int block) const {
    const PairsInput& in = *b.input;
    const int n = in.n;
    const auto e = [block](int entry) { return at::block(block, entry); };
    // By value and square, the sum over the pieces with that value, an eighth of it.
    std::fill_n(b.by_value.data(), kAttributeValues * n * W, Number{0});
    for (int row = 0; row < n; ++row) {
      for (const int value : kAttributeValuesOf[in.pieces[idx(row)]]) {
        for (int c = 0; c < n; ++c) add<W>(b.r.data() + (row * n + c) * W, b.by_value.data() + (value * n + c) * W);
      }
    }
    for (int i = 0; i < kAttributeValues * n * W; ++i)
      b.by_value[idx(i)] = scaled<3>(static_cast<std::uint16_t>(b.by_value[idx(i)]));
    for (int i = 0; i < in.lines; ++i) {
      const auto& line = in.line[idx(i)];
      Number* sum = b.line_squares.data() + i * W;
      std::fill_n(sum, W, Number{0});
      for (int k = 0; k < line.columns; ++k) add<W>(b.pools.column(line.column[idx(k)]) + W, sum);
      for (int l = 0; l < W; ++l) sum[l] = std::min<Number>(sum[l], kMostActivation);
    }
    terms<W, W>(e(at::kLineSquares), b.line_squares.data(), b.per_line.data(), in.lines);
    for (int i = 0; i < in.alive_count; ++i) {
      const auto& a = in.alive[idx(i)];
      const auto& line = in.line[a.line];
      Number* sum = b.line_in.data() + i * W;
      std::fill_n(sum, W, Number{0});
      for (int k = 0; k < line.columns; ++k)
        add<W>(b.by_value.data() + (a.attribute_value * n + line.column[idx(k)]) * W, sum);
      for (int l = 0; l < W; ++l) sum[l] = std::min<Number>(sum[l], kMostActivation);
    }
    terms<W, W>(e(at::kLineAttributeValue), b.line_in.data(), b.message.data(), in.alive_count);
    for (int i = 0; i < in.alive_count; ++i) {
      const auto& a = in.alive[idx(i)];
      Number* m = b.message.data() + i * W;
      add<W>(weight(e(at::kLineState)) + a.state * W, m);
      add<W>(b.per_line.data() + a.line * W, m);
      for (int l = 0; l < W; ++l) m[l] = std::min<Number>(std::max<Number>(m[l], 0), kMostActivation);
    }

    // To the squares, summed over all values, a quarter of it; to the pairs, by value, half of it.
    std::fill_n(b.per_line.data(), in.lines * W, Number{0});
    for (int i = 0; i < in.alive_count; ++i)
      add<W>(b.message.data() + i * W, b.per_line.data() + in.alive[idx(i)].line * W);
    for (int i = 0; i < in.lines * W; ++i)
      b.per_line[idx(i)] = scaled<2>(static_cast<std::uint16_t>(b.per_line[idx(i)]));
    std::fill_n(b.to_square.data(), n * W, Number{0});
    for (int i = 0; i < in.lines; ++i) {
      const auto& line = in.line[idx(i)];
      for (int k = 0; k < line.columns; ++k) {
        Number* to = b.to_square.data() + line.column[idx(k)] * W;
        add<W>(b.per_line.data() + i * W, to);
        for (int l = 0; l < W; ++l) to[l] = std::min<Number>(to[l], kMostActivation);
      }
    }
    terms<W, W>(e(at::kLineToPair), b.message.data(), b.told.data(), in.alive_count, 1);
    std::fill_n(b.by_value.data(), kAttributeValues * n * W, Number{0});
    for (int i = 0; i < in.alive_count; ++i) {
      const auto& a = in.alive[idx(i)];
      const auto& line = in.line[a.line];
      for (int k = 0; k < line.columns; ++k)
        add<W>(b.told.data() + i * W, b.by_value.data() + (a.attribute_value * n + line.column[idx(k)]) * W);
    }
    for (int i = 0; i < kAttributeValues * n * W; ++i) {
      Number& x = b.by_value[idx(i)];
      x = std::min<Number>(std::max<Number>(x, kLeastTerm), kMostTerm);
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
      Number* row = b.row_terms.data() + i * W;
      Number* column = b.column_terms.data() + i * W;
      add<W>(all.data(), row);
      for (int l = 0; l < W; ++l) row[l] = std::min<Number>(std::max<Number>(row[l], kLeastTerm), kMostTerm);
      for (int l = 0; l < W; ++l) column[l] = std::min<Number>(std::max<Number>(column[l], kLeastTerm), kMostTerm);
    }

    terms<W, W>(e(at::kSelf), b.r.data(), b.inner.data(), pairs);
    for (int row = 0; row < n; ++row) {
      const auto& values = kAttributeValuesOf[in.pieces[idx(row)]];
      const Number* of_row = b.row_terms.data() + row * W;
      for (int c = 0; c < n; ++c) {
        const auto told = [&](int a) { return b.by_value.data() + (values[idx(a)] * n + c) * W; };
        const Number *x0 = told(0), *x1 = told(1), *x2 = told(2), *x3 = told(3);
        const Number* of_column = b.column_terms.data() + c * W;
        Number* x = b.inner.data() + (row * n + c) * W;
        for (int l = 0; l < W; ++l) {
          const auto sum = static_cast<Number>(x[l] + x0[l] + x1[l] + x2[l] + x3[l] + of_row[l] + of_column[l]);
          x[l] = std::min<Number>(std::max<Number>(sum, 0), kMostActivation);
        }
      }
    }
    terms<W, W>(e(at::kOut), b.inner.data(), b.r.data(), pairs);
    const Number* bias = weight(e(at::kOutBias));
    for (int i = 0; i < pairs; ++i) {
      Number* h = b.h.data() + i * W;
      const Number* more = b.r.data() + i * W;
      for (int l = 0; l < W; ++l) {
        const auto sum = static_cast<Number>(h[l] + more[l] + bias[l]);
        h[l] = std::min<Number>(std::max<Number>(sum, -kMostState - 1), kMostState);
      }
    }
  }

  PairsOutput heads(Board<W>& b) const {
    const PairsInput& in = *b.input;
    const int n = in.n;
    const auto e = [this](int entry) { return at::head(shape_.blocks, entry); };
    pool(b, shape_.blocks);
    PairsOutput out{};

    alignas(64) std::array<Number, kHead> all;
    std::copy_n(weight(e(in.placing ? at::kPlaceBias : at::kGiveBias)), kHead, all.data());
    add_terms<2 * W, kHead>(e(in.placing ? at::kPlaceAll : at::kGiveAll), b.pools.all.data(), all.data(), 1);
    if (in.placing)
      terms<3 * W, kHead>(e(at::kPlaceColumns), b.pools.columns.data(), b.hidden.data(), n);
    else
      terms<2 * W, kHead>(e(at::kGiveRows), b.pools.rows.data(), b.hidden.data(), n);
    const int policy = e(in.placing ? at::kPlaceOut : at::kGiveOut);
    for (int i = 0; i < n; ++i) {
      Number* hidden = b.hidden.data() + i * kHead;
      add<kHead>(all.data(), hidden);
      out.policy[in.placing ? in.squares[idx(i)] : in.pieces[idx(i)]] = logit(policy, 0, hidden, 0);
    }

    alignas(64) std::array<Number, kHead> hidden;
    std::copy_n(weight(e(at::kOutcomeBias)), kHead, hidden.data());
    add_terms<2 * W, kHead>(e(at::kOutcomeAll), b.pools.all.data(), hidden.data(), 1);
    if (in.placing) {
      alignas(64) std::array<Number, 2 * W> hand{};
      for (int c = 0; c < n; ++c) {
        add<W>(b.pools.column(c), hand.data());
        max_of<W>(b.pools.column(c), hand.data() + W);
      }
      eighth(hand.data());
      add_terms<2 * W, kHead>(e(at::kOutcomeHand), hand.data(), hidden.data(), 1);
    }
    for (int i = 0; i < 3; ++i)
      out.outcome[idx(i)] = logit(e(at::kOutcomeOut), i, hidden.data(), weight(e(at::kOutcomeOutBias))[i]);
    return out;
  }

  // The product of the activations of `hidden` with a row of the matrix, and the bias: an integer of as many fraction bits
  // as both have, which a float holds.
  float logit(int entry, int row, const Number* hidden, Number bias) const {
    const int shift = shifts_[idx(entry)];
    const Number* w = weight(entry) + row * kHead;
    std::int32_t sum = 0;
    for (int i = 0; i < kHead; ++i) sum += activation(hidden[i]) * w[i];
    // A bias has the fraction bits of an activation. The sum of the products is less than 2^24, so 64 bits hold it.
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

bool is_matrix(const PairsLayout::Entry& entry) { return entry.table ? entry.name.ends_with("_out") : entry.gain > 0; }

IntegerWeights integer_weights(const PairsShape& shape, std::span<const float> weights,
                               std::vector<std::uint8_t> bits) {
  require_usable(shape, weights);
  const PairsLayout layout(shape);
  IntegerWeights out{shape, std::move(bits), std::vector<std::uint8_t>(layout.entries.size()),
                     std::vector<Number>(weights.size())};
  for (std::size_t i = 0; i < layout.entries.size(); ++i) {
    const PairsLayout::Entry& e = layout.entries[i];
    const auto of = weights.subspan(idx(e.offset), idx(e.rows * e.cols));
    float largest = 0;
    for (const float w : of) largest = std::max(largest, std::abs(w));
    const int most = is_matrix(e) ? kMostMatrix : kMostTerm;
    int shift = kMostShift;
    if (is_matrix(e)) {
      while (shift > 0 && std::lround(std::ldexp(largest, shift)) > most) --shift;
      out.shifts[i] = static_cast<std::uint8_t>(shift);
    } else {
      shift = added_bits(out, static_cast<int>(i));
    }
    if (std::lround(std::ldexp(largest, shift)) > most) {
      throw std::invalid_argument(fmt::format(
          "a weight of '{}' is {:.3g}, too large for integers with {} fraction bits", e.name, largest, shift));
    }
    for (std::size_t k = 0; k < of.size(); ++k)
      out.weights[idx(e.offset) + k] = static_cast<Number>(std::lround(std::ldexp(of[k], shift)));
  }
  return out;
}

IntegerWeights integer_weights(const PairsShape& shape, std::span<const float> weights, Rules rules) {
  constexpr int kPositions = 400, kLeastPieces = 3;
  std::vector<Position> positions;
  for (Rng rng(1); positions.size() < kPositions;) {
    const Position p = unfinished_position(rng, rules);
    if (p.ply() >= 2 * kLeastPieces) positions.push_back(p);
  }
  const auto answers = [&](const PairsKernel& kernel) {
    const auto workspace = kernel.new_workspace();
    std::vector<Evaluation> all;
    for (const Position& p : positions) {
      const PairsOutput out = kernel.forward(p, *workspace);
      all.push_back(evaluation_of(out.policy, p.legal_moves(), out.outcome));
    }
    return all;
  };
  const std::vector<Evaluation> wanted = answers(*PairsKernel::make(shape, weights));
  std::string why;
  // Of all probabilities. Infinite for bits that are not possible.
  const auto difference = [&](const std::vector<std::uint8_t>& bits) {
    try {
      const std::vector<Evaluation> found = answers(*make_integer_kernel(integer_weights(shape, weights, bits)));
      double sum = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::size_t m = 0; m < kMoves; ++m) sum += std::abs(found[i].prior[m] - wanted[i].prior[m]);
        sum += std::abs(found[i].win - wanted[i].win) + std::abs(found[i].loss - wanted[i].loss);
      }
      return sum;
    } catch (const std::exception& e) {
      why = e.what();
      return HUGE_VAL;
    }
  };
  // The best of equal bits everywhere; then one number after the other as long as that helps.
  std::vector<std::uint8_t> best;
  double least = HUGE_VAL;
  const auto keep_if_nearer = [&](const std::vector<std::uint8_t>& bits) {
    const double found = difference(bits);
    if (found >= least) return false;
    least = found;
    best = bits;
    return true;
  };
  for (int all = 0; all <= kMostFractionBits; ++all)
    keep_if_nearer(std::vector<std::uint8_t>(idx(1 + 2 * (shape.blocks + 1)), static_cast<std::uint8_t>(all)));
  if (best.empty()) throw std::invalid_argument("the network has no form in integers: " + why);
  for (bool helped = true; helped;) {
    helped = false;
    for (std::size_t i = 0; i < best.size(); ++i) {
      for (const int change : {1, -1}) {
        while (true) {
          std::vector<std::uint8_t> bits = best;
          if (bits[i] + change < 0 || bits[i] + change > kMostFractionBits) break;
          bits[i] = static_cast<std::uint8_t>(bits[i] + change);
          if (!keep_if_nearer(bits)) break;
          helped = true;
        }
      }
    }
  }
  return integer_weights(shape, weights, best);
}

Floats float_weights(const IntegerWeights& given) {
  const PairsLayout layout(given.shape);
  Floats floats(given.weights.size());
  for (std::size_t i = 0; i < layout.entries.size(); ++i) {
    const PairsLayout::Entry& e = layout.entries[i];
    const int shift = is_matrix(e) ? given.shifts[i] : added_bits(given, static_cast<int>(i));
    for (int k = e.offset; k < e.offset + e.rows * e.cols; ++k)
      floats[idx(k)] = std::ldexp(static_cast<float>(given.weights[idx(k)]), -shift);
  }
  return floats;
}

std::unique_ptr<PairsKernel> make_integer_kernel(const IntegerWeights& weights) {
  if (!PairsKernel::supports(weights.shape)) throw std::invalid_argument("PairsKernel: this shape is not supported");
  const PairsLayout layout(weights.shape);
  if (weights.weights.size() != static_cast<std::size_t>(layout.size) ||
      weights.shifts.size() != layout.entries.size() || weights.bits.size() != idx(1 + 2 * (weights.shape.blocks + 1)))
    throw std::invalid_argument("PairsKernel: the number of weights is not that of the shape");
  require_in_range(weights);
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
