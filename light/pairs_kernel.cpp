#include "light/pairs_kernel.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/index.h"
#include "light/input_rows.h"
#include "light/pairs_input.h"
#include "light/pairs_parts.h"
#include "light/pairs_weights.h"

namespace quarto::light {
namespace {

namespace at = pairs_entry;

template <int W>
struct BlockTape {
  alignas(64) std::array<float, kMostPairs * W> r;      // the input, after ReLU
  alignas(64) std::array<float, kMostPairs * W> inner;  // the hidden layer, after ReLU
  Pools<W> pools;
  alignas(64) std::array<float, kMostAlive * W> line_in;       // per line and value, input of the layer
  alignas(64) std::array<float, kMostAlive * W> message;       // per line and value, output of the layer
  alignas(64) std::array<float, kMostLines * W> line_squares;  // per line
  alignas(64) std::array<float, kSquares * W> to_square;       // per square, the sum over its lines, input of the layer
};

template <int W>
class Tape final : public PairsKernel::Workspace {
 public:
  explicit Tape(const PairsShape& shape) : block(static_cast<std::size_t>(shape.blocks)) {}

  std::unique_ptr<PairsInput> input;
  PairCounts counts;
  std::vector<BlockTape<W>> block;
  alignas(64) std::array<float, kMostPairs * W> h, r;
  Pools<W> pools;
  alignas(64) std::array<float, 2 * W> hand;  // over the squares: sum, max
  alignas(64) std::array<float, kMoves * kHeadWidth> policy_hidden;
  alignas(64) std::array<float, kHeadWidth> outcome_hidden;
};

template <int W>
class Kernel final : public PairsKernel {
 public:
  Kernel(const PairsShape& shape, std::span<const float> weights)
      : shape_(shape), layout_(shape), weights_(weights.begin(), weights.end()), transposed_(weights.size()) {
    for (int t = 0; t < kTables; ++t) table_[idx(t)] = layout_.entries[idx(at::table(shape.blocks, t))].offset;
    for (const auto& e : layout_.entries) {
      for (int i = 0; i < e.rows; ++i) {
        for (int j = 0; j < e.cols; ++j)
          transposed_[idx(e.offset + j * e.rows + i)] = weights_[idx(e.offset + i * e.cols + j)];
      }
    }
  }

  std::unique_ptr<Workspace> new_workspace() const override { return std::make_unique<Tape<W>>(shape_); }

  PairsOutput forward(const Position& position, Workspace& workspace) const override {
    auto& t = static_cast<Tape<W>&>(workspace);
    if (t.input)
      *t.input = PairsInput(position);
    else
      t.input = std::make_unique<PairsInput>(position);
    const PairsInput& in = *t.input;
    stem(in, t.h.data());
    const auto count = [&](auto& counts) {
      counts.count(in);
      add_counts(in, counts, t.h.data());
    };
    std::apply([&](auto&... all) { (count(all), ...); }, t.counts);
    for (int b = 0; b < shape_.blocks; ++b) block(in, b, t.block[idx(b)], t.h.data());
    return heads(in, t);
  }

  void backward(const PairsOutput& d, Workspace& workspace, std::span<float> gradient) const override {
    auto& t = static_cast<Tape<W>&>(workspace);
    const PairsInput& in = *t.input;
    float* g = gradient.data();
    alignas(64) std::array<float, kMostPairs * W> dh;
    heads_gradient(in, t, d, dh.data(), g);
    for (int b = shape_.blocks; b-- > 0;) block_gradient(in, b, t.block[idx(b)], dh.data(), g);
    stem_gradient(in, dh.data(), g);
    std::apply([&](const auto&... all) { (counts_gradient(in, all, dh.data(), g), ...); }, t.counts);
  }

 private:
  const float* table(int t) const { return weights_.data() + table_[idx(t)]; }
  const float* weight(int entry) const { return weights_.data() + layout_.entries[idx(entry)].offset; }
  const float* transposed(int entry) const { return transposed_.data() + layout_.entries[idx(entry)].offset; }
  float* into(float* g, int entry) const { return g + layout_.entries[idx(entry)].offset; }

  // y += x * weight
  template <int IN = W, int OUT = W>
  void apply(int entry, const float* x, float* y, int rows) const {
    multiply_add_some<IN, OUT>(x, weight(entry), y, rows);
  }
  // Its derivatives: adds those with respect to the weight to g and those with respect to x to dx. MASKED: dy is behind
  // a ReLU, and so zero where that is.
  template <int IN = W, int OUT = W, bool MASKED = false>
  void apply_gradient(int entry, const float* x, const float* dy, float* dx, int rows, float* g) const {
    multiply_gradient_some<IN, OUT>(x, dy, into(g, entry), rows);
    if constexpr (MASKED)
      multiply_add_some<OUT, IN>(dy, transposed(entry), dx, rows);
    else
      multiply_add<OUT, IN>(dy, transposed(entry), dx, rows);
  }

  void stem(const PairsInput& in, float* h) const {
    alignas(64) std::array<float, W> all{};
    const int phase = in.placing ? kCounts : 0;
    add<W>(table(kEmpty) + (phase + in.n) * W, all.data());
    add<W>(table(kSafe) + (phase + in.safe) * W, all.data());
    for (int row = 0; row < in.n; ++row) {
      alignas(64) std::array<float, W> base = all;
      if (row == in.hand) add<W>(table(kHand), base.data());
      if (in.loses[idx(row)]) add<W>(table(kLoses), base.data());
      for (int c = 0; c < in.n; ++c) {
        const int i = row * in.n + c;
        const float* pair = table(kPair) + in.category[idx(i)] * W;
        for (int l = 0; l < W / kLane; ++l) lanes(h + i * W)[l] = lanes(base.data())[l] + lanes(pair)[l];
      }
    }
  }

  void stem_gradient(const PairsInput& in, const float* dh, float* g) const {
    const int phase = in.placing ? kCounts : 0;
    alignas(64) std::array<float, W> all{};
    for (int row = 0; row < in.n; ++row) {
      alignas(64) std::array<float, W> base{};
      for (int c = 0; c < in.n; ++c) {
        const int i = row * in.n + c;
        add<W>(dh + i * W, g + table_[kPair] + in.category[idx(i)] * W);
        add<W>(dh + i * W, base.data());
      }
      if (row == in.hand) add<W>(base.data(), g + table_[kHand]);
      if (in.loses[idx(row)]) add<W>(base.data(), g + table_[kLoses]);
      add<W>(base.data(), all.data());
    }
    add<W>(all.data(), g + table_[kEmpty] + (phase + in.n) * W);
    add<W>(all.data(), g + table_[kSafe] + (phase + in.safe) * W);
  }

  // Adds the rows of the tables that belong to the counts of each pair; C is one of PairCounts.
  template <class C>
  void add_counts(const PairsInput& in, const C& counts, float* h) const {
    std::array<const float*, kTables> rows_of_table;  // not a member: the compiler keeps what no store can change
    for (int t = kReplySafe; t < kTables; ++t) rows_of_table[idx(t)] = table(t);
    for (int pair = 0; pair < in.n * in.n; ++pair) {
      if (!C::given(in, pair)) continue;
      alignas(64) std::array<float, W> sum;
      std::copy_n(h + pair * W, W, sum.data());
      counts.for_each_row(in, pair, [&](int t, int row) { add<W>(rows_of_table[idx(t)] + row * W, sum.data()); });
      std::copy_n(sum.data(), W, h + pair * W);
    }
  }

  template <class C>
  void counts_gradient(const PairsInput& in, const C& counts, const float* dh, float* g) const {
    std::array<float*, kTables> rows_of_table;
    for (int t = kReplySafe; t < kTables; ++t) rows_of_table[idx(t)] = g + table_[idx(t)];
    for (int pair = 0; pair < in.n * in.n; ++pair) {
      if (!C::given(in, pair)) continue;
      counts.for_each_row(in, pair, [&](int t, int row) { add<W>(dh + pair * W, rows_of_table[idx(t)] + row * W); });
    }
  }

  // h += out(relu(self + rows + columns + hand + all + lines))
  void block(const PairsInput& in, int b, BlockTape<W>& t, float* h) const {
    const int n = in.n, pairs = n * n;
    const auto e = [b](int entry) { return at::block(b, entry); };
    pool<W>(in, h, t.r.data(), t.pools);

    // Lines: the message of each line, computed from its pairs, and sent back to them.
    alignas(64) std::array<float, kAttributeValues * kSquares * W> by_value;
    to_attribute_values<W>(in, t.r.data(), by_value.data());
    to_lines<W>(in, by_value.data(), kLineScale, t.line_in.data());
    alignas(64) std::array<float, kMostLines * W> per_line;
    zero<W>(per_line.data(), in.lines);
    for (int i = 0; i < in.lines; ++i) {
      const auto& line = in.line[idx(i)];
      sum_rows<W>(
          line.columns, [&](int k) { return t.pools.column_sum(line.column[idx(k)]); }, t.line_squares.data() + i * W);
    }
    apply(e(at::kLineSquares), t.line_squares.data(), per_line.data(), in.lines);
    for (int i = 0; i < in.alive_count; ++i) {
      const auto& a = in.alive[idx(i)];
      for (int l = 0; l < W / kLane; ++l) {
        lanes(t.message.data() + i * W)[l] =
            lanes(weight(e(at::kLineState)) + a.state * W)[l] + lanes(per_line.data() + a.line * W)[l];
      }
    }
    apply(e(at::kLineAttributeValue), t.line_in.data(), t.message.data(), in.alive_count);
    relu<W>(t.message.data(), t.message.data(), in.alive_count);

    // To the squares: summed over all attribute values. To the pairs: by the attribute values of the piece.
    zero<W>(per_line.data(), in.lines);
    for (int i = 0; i < in.alive_count; ++i)
      add<W>(t.message.data() + i * W, per_line.data() + in.alive[idx(i)].line * W);
    zero<W>(t.to_square.data(), n);
    for (int i = 0; i < in.lines; ++i) {
      const auto& line = in.line[idx(i)];
      for (int k = 0; k < line.columns; ++k) {
        add<W>(per_line.data() + i * W, kToSquareScale, t.to_square.data() + line.column[idx(k)] * W);
      }
    }
    alignas(64) std::array<float, kMostAlive * W> told;
    zero<W>(told.data(), in.alive_count);
    apply(e(at::kLineToPair), t.message.data(), told.data(), in.alive_count);
    from_lines<W>(in, told.data(), kToPairScale, by_value.data());

    alignas(64) std::array<float, W> all;
    std::copy_n(weight(e(at::kBias)), W, all.data());
    apply<2 * W>(e(at::kAll), t.pools.all.data(), all.data(), 1);
    alignas(64) std::array<float, kPieces * W> rows;
    alignas(64) std::array<float, kSquares * W> columns;
    for (int i = 0; i < n; ++i) std::copy_n(all.data(), W, rows.data() + i * W);
    zero<W>(columns.data(), n);
    apply<2 * W>(e(at::kRows), t.pools.rows.data(), rows.data(), n);
    apply<3 * W>(e(at::kColumns), t.pools.columns.data(), columns.data(), n);
    apply(e(at::kLineToSquare), t.to_square.data(), columns.data(), n);

    for (int row = 0; row < n; ++row) {
      const auto& values = kAttributeValuesOf[in.pieces[idx(row)]];
      const auto told_to = [&](int a) { return lanes(by_value.data() + values[idx(a)] * n * W); };
      const Lane *x0 = told_to(0), *x1 = told_to(1), *x2 = told_to(2), *x3 = told_to(3);
      Lane* inner = lanes(t.inner.data() + row * n * W);
      for (int c = 0; c < n; ++c) {
        for (int l = 0; l < W / kLane; ++l) {
          const int i = c * W / kLane + l;
          inner[i] = ((x0[i] + x1[i]) + (x2[i] + x3[i])) +
                     (lanes(rows.data() + row * W)[l] + lanes(columns.data() + c * W)[l]);
        }
      }
    }
    apply(e(at::kSelf), t.r.data(), t.inner.data(), pairs);
    for (int i = 0; i < pairs; ++i) {
      for (int l = 0; l < W / kLane; ++l) {
        Lane& x = lanes(t.inner.data() + i * W)[l];
        x = positive(x);
        lanes(h + i * W)[l] += lanes(weight(e(at::kOutBias)))[l];
      }
    }
    apply(e(at::kOut), t.inner.data(), h, pairs);
  }

  // On entry dh is the derivative with respect to the block's output, on return that with respect to its input.
  void block_gradient(const PairsInput& in, int b, const BlockTape<W>& t, float* dh, float* g) const {
    const int n = in.n, pairs = n * n;
    const auto e = [b](int entry) { return at::block(b, entry); };
    alignas(64) std::array<float, kMostPairs * W> di, dr;
    zero<W>(di.data(), pairs);
    zero<W>(dr.data(), pairs);
    for (int i = 0; i < pairs; ++i) add<W>(dh + i * W, into(g, e(at::kOutBias)));
    apply_gradient(e(at::kOut), t.inner.data(), dh, di.data(), pairs, g);
    relu_gradient<W>(t.inner.data(), di.data(), pairs);
    apply_gradient<W, W, true>(e(at::kSelf), t.r.data(), di.data(), dr.data(), pairs, g);

    alignas(64) std::array<float, kPieces * W> rows;
    alignas(64) std::array<float, kSquares * W> columns;
    alignas(64) std::array<float, W> all{};
    zero<W>(rows.data(), n);
    zero<W>(columns.data(), n);
    for (int row = 0; row < n; ++row) {
      for (int c = 0; c < n; ++c) {
        add<W>(di.data() + (row * n + c) * W, rows.data() + row * W);
        add<W>(di.data() + (row * n + c) * W, columns.data() + c * W);
      }
      add<W>(rows.data() + row * W, all.data());
    }
    Pools<W> d;
    d.clear(n);
    add<W>(all.data(), into(g, e(at::kBias)));
    apply_gradient<2 * W>(e(at::kAll), t.pools.all.data(), all.data(), d.all.data(), 1, g);
    apply_gradient<2 * W>(e(at::kRows), t.pools.rows.data(), rows.data(), d.rows.data(), n, g);
    apply_gradient<3 * W>(e(at::kColumns), t.pools.columns.data(), columns.data(), d.columns.data(), n, g);

    alignas(64) std::array<float, kSquares * W> d_square;
    zero<W>(d_square.data(), n);
    apply_gradient(e(at::kLineToSquare), t.to_square.data(), columns.data(), d_square.data(), n, g);
    alignas(64) std::array<float, kMostLines * W> d_line;
    zero<W>(d_line.data(), in.lines);
    for (int i = 0; i < in.lines; ++i) {
      const auto& line = in.line[idx(i)];
      for (int k = 0; k < line.columns; ++k) {
        add<W>(d_square.data() + line.column[idx(k)] * W, kToSquareScale, d_line.data() + i * W);
      }
    }
    alignas(64) std::array<float, kAttributeValues * kSquares * W> by_value;
    to_attribute_values<W>(in, di.data(), by_value.data());
    alignas(64) std::array<float, kMostAlive * W> d_told, d_message;
    to_lines<W>(in, by_value.data(), kToPairScale, d_told.data());
    for (int i = 0; i < in.alive_count; ++i) {
      std::copy_n(d_line.data() + in.alive[idx(i)].line * W, W, d_message.data() + i * W);
    }
    apply_gradient(e(at::kLineToPair), t.message.data(), d_told.data(), d_message.data(), in.alive_count, g);
    relu_gradient<W>(t.message.data(), d_message.data(), in.alive_count);

    zero<W>(d_line.data(), in.lines);
    for (int i = 0; i < in.alive_count; ++i) {
      const auto& a = in.alive[idx(i)];
      add<W>(d_message.data() + i * W, into(g, e(at::kLineState)) + a.state * W);
      add<W>(d_message.data() + i * W, d_line.data() + a.line * W);
    }
    zero<W>(d_told.data(), in.alive_count);
    apply_gradient<W, W, true>(e(at::kLineAttributeValue), t.line_in.data(), d_message.data(), d_told.data(),
                               in.alive_count, g);
    from_lines<W>(in, d_told.data(), kLineScale, by_value.data());
    from_attribute_values<W>(in, by_value.data(), dr.data());
    alignas(64) std::array<float, kMostLines * W> d_squares;
    zero<W>(d_squares.data(), in.lines);
    apply_gradient(e(at::kLineSquares), t.line_squares.data(), d_line.data(), d_squares.data(), in.lines, g);
    for (int i = 0; i < in.lines; ++i) {
      const auto& line = in.line[idx(i)];
      for (int k = 0; k < line.columns; ++k) {
        add<W>(d_squares.data() + i * W, d.column_sum(line.column[idx(k)]));
      }
    }
    pool_gradient<W>(in, t.r.data(), t.pools, d, dr.data());
    relu_gradient<W>(t.r.data(), dr.data(), pairs);
    for (int i = 0; i < pairs * W / kLane; ++i) lanes(dh)[i] += lanes(dr.data())[i];
  }

  PairsOutput heads(const PairsInput& in, Tape<W>& t) const {
    const int n = in.n;
    const auto e = [this](int entry) { return at::head(shape_.blocks, entry); };
    pool<W>(in, t.h.data(), t.r.data(), t.pools);
    PairsOutput out{};

    alignas(64) std::array<float, kHeadWidth> all;
    std::copy_n(weight(e(in.placing ? at::kPlaceBias : at::kGiveBias)), kHeadWidth, all.data());
    apply<2 * W, kHeadWidth>(e(in.placing ? at::kPlaceAll : at::kGiveAll), t.pools.all.data(), all.data(), 1);
    for (int i = 0; i < n; ++i) std::copy_n(all.data(), kHeadWidth, t.policy_hidden.data() + i * kHeadWidth);
    if (in.placing)
      apply<3 * W, kHeadWidth>(e(at::kPlaceColumns), t.pools.columns.data(), t.policy_hidden.data(), n);
    else
      apply<2 * W, kHeadWidth>(e(at::kGiveRows), t.pools.rows.data(), t.policy_hidden.data(), n);
    relu<kHeadWidth>(t.policy_hidden.data(), t.policy_hidden.data(), n);
    const float* policy = weight(e(in.placing ? at::kPlaceOut : at::kGiveOut));
    for (int i = 0; i < n; ++i) {
      out.policy[in.placing ? in.squares[idx(i)] : in.pieces[idx(i)]] =
          dot(policy, t.policy_hidden.data() + i * kHeadWidth);
    }

    t.hand.fill(0.0F);
    for (int i = 0; i < n; ++i) {
      for (int l = 0; l < W / kLane; ++l) {
        const Lane x = lanes(t.pools.hand(i))[l];
        lanes(t.hand.data())[l] += kSumScale * x;
        Lane& max = lanes(t.hand.data() + W)[l];
        max = larger(max, x);
      }
    }
    std::copy_n(weight(e(at::kOutcomeBias)), kHeadWidth, t.outcome_hidden.data());
    apply<2 * W, kHeadWidth>(e(at::kOutcomeAll), t.pools.all.data(), t.outcome_hidden.data(), 1);
    if (in.placing) apply<2 * W, kHeadWidth>(e(at::kOutcomeHand), t.hand.data(), t.outcome_hidden.data(), 1);
    relu<kHeadWidth>(t.outcome_hidden.data(), t.outcome_hidden.data(), 1);
    for (int i = 0; i < 3; ++i) {
      out.outcome[idx(i)] =
          dot(weight(e(at::kOutcomeOut)) + i * kHeadWidth, t.outcome_hidden.data()) + weight(e(at::kOutcomeOutBias))[i];
    }
    return out;
  }

  // Writes dh, the derivative with respect to the last block's output.
  void heads_gradient(const PairsInput& in, const Tape<W>& t, const PairsOutput& d, float* dh, float* g) const {
    const int n = in.n;
    const auto e = [this](int entry) { return at::head(shape_.blocks, entry); };
    Pools<W> dp;
    dp.clear(n);

    alignas(64) std::array<float, kMoves * kHeadWidth> dx;
    alignas(64) std::array<float, kHeadWidth> all{};
    const int policy = e(in.placing ? at::kPlaceOut : at::kGiveOut);
    for (int i = 0; i < n; ++i) {
      const float dy = d.policy[in.placing ? in.squares[idx(i)] : in.pieces[idx(i)]];
      const float* hidden = t.policy_hidden.data() + i * kHeadWidth;
      add<kHeadWidth>(hidden, dy, into(g, policy));
      for (int l = 0; l < kHeadWidth / kLane; ++l) lanes(dx.data() + i * kHeadWidth)[l] = dy * lanes(weight(policy))[l];
      relu_gradient<kHeadWidth>(hidden, dx.data() + i * kHeadWidth, 1);
      add<kHeadWidth>(dx.data() + i * kHeadWidth, all.data());
    }
    add<kHeadWidth>(all.data(), into(g, e(in.placing ? at::kPlaceBias : at::kGiveBias)));
    apply_gradient<2 * W, kHeadWidth>(e(in.placing ? at::kPlaceAll : at::kGiveAll), t.pools.all.data(), all.data(),
                                      dp.all.data(), 1, g);
    if (in.placing)
      apply_gradient<3 * W, kHeadWidth>(e(at::kPlaceColumns), t.pools.columns.data(), dx.data(), dp.columns.data(), n,
                                        g);
    else
      apply_gradient<2 * W, kHeadWidth>(e(at::kGiveRows), t.pools.rows.data(), dx.data(), dp.rows.data(), n, g);

    alignas(64) std::array<float, kHeadWidth> dv{};
    for (int i = 0; i < 3; ++i) {
      const float dy = d.outcome[idx(i)];
      add<kHeadWidth>(t.outcome_hidden.data(), dy, into(g, e(at::kOutcomeOut)) + i * kHeadWidth);
      add<kHeadWidth>(weight(e(at::kOutcomeOut)) + i * kHeadWidth, dy, dv.data());
      into(g, e(at::kOutcomeOutBias))[i] += dy;
    }
    relu_gradient<kHeadWidth>(t.outcome_hidden.data(), dv.data(), 1);
    add<kHeadWidth>(dv.data(), into(g, e(at::kOutcomeBias)));
    apply_gradient<2 * W, kHeadWidth>(e(at::kOutcomeAll), t.pools.all.data(), dv.data(), dp.all.data(), 1, g);
    if (in.placing) {
      alignas(64) std::array<float, 2 * W> d_hand{};
      apply_gradient<2 * W, kHeadWidth>(e(at::kOutcomeHand), t.hand.data(), dv.data(), d_hand.data(), 1, g);
      for (int i = 0; i < n; ++i) add<W>(d_hand.data(), kSumScale, dp.hand(i));
      spread_max<W>(t.pools.hand(0), Pools<W>::kColumn, n, t.hand.data() + W, d_hand.data() + W, dp.hand(0),
                    Pools<W>::kColumn);
    }
    zero<W>(dh, n * n);
    pool_gradient<W>(in, t.r.data(), t.pools, dp, dh);
    relu_gradient<W>(t.r.data(), dh, n * n);
  }

  static float dot(const float* x, const float* y) {
    Lane sum = lanes(x)[0] * lanes(y)[0];
    for (int l = 1; l < kHeadWidth / kLane; ++l) sum += lanes(x)[l] * lanes(y)[l];
    float total = 0;
    for (int i = 0; i < kLane; ++i) total += sum[i];
    return total;
  }

  PairsShape shape_;
  PairsLayout layout_;
  Floats weights_, transposed_;
  std::array<int, kTables> table_{};  // offsets of the input's tables
};

}  // namespace

void require_usable(const PairsShape& shape, std::span<const float> weights) {
  if (!PairsKernel::supports(shape)) throw std::invalid_argument("PairsKernel: this shape is not supported");
  if (weights.size() != static_cast<std::size_t>(PairsLayout(shape).size))
    throw std::invalid_argument("PairsKernel: the number of weights is not that of the shape");
  if (!std::all_of(weights.begin(), weights.end(), [](float w) { return std::isfinite(w); }))
    throw std::runtime_error("the network's weights are broken: one of them is not a finite number");
}

bool PairsKernel::supports(const PairsShape& s) {
  return s.head == kHeadWidth && s.blocks >= 1 && s.blocks <= kMostBlocks &&
         (s.width == 16 || s.width == 32 || s.width == 48 || s.width == 64);
}

std::unique_ptr<PairsKernel> PairsKernel::make(const PairsShape& shape, std::span<const float> weights) {
  require_usable(shape, weights);
  switch (shape.width) {
    case 16:
      return std::make_unique<Kernel<16>>(shape, weights);
    case 32:
      return std::make_unique<Kernel<32>>(shape, weights);
    case 48:
      return std::make_unique<Kernel<48>>(shape, weights);
    default:
      return std::make_unique<Kernel<64>>(shape, weights);
  }
}

}  // namespace quarto::light
