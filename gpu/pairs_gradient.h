// The gradient of the loss of the pairs network for one position and the threads of one block of a GPU, after
// PairsKernel::backward() (light/pairs_kernel.cpp) and PairsGradient (train/pairs_gradient.h), which define it. Under the
// conditions of pairs_position.h; the source of gradient.cu.
//
// Forward keeps what it computed in memory of the device that belongs to the block of threads; so does the gradient, in
// which every number is added to by one thread at a time, in one order: sums do not depend on timing.
#pragma once

#include "gpu/pairs_position.h"

#if defined(__CUDACC__)
#define QUARTO_NO_UNROLL \
  _Pragma("unroll 1")  // what is inside is long; unrolled it takes minutes to compile, and registers
#else
#define QUARTO_NO_UNROLL
#endif

namespace quarto::gpu {

// One position to learn from. The shares of moves are by piece to give or square to place on, in [0, 1]; those of the
// outcome are win, draw, loss for the side to move. Shares sum to 1, or all are 0: then that head learns nothing.
struct Sample {
  Board board;
  float policy[kAllPieces];
  float outcome[3];
};

struct Loss {
  int any;              // 1: the probability of all moves with a share counts, not how it is divided
  float logit_penalty;  // times the mean square of the logits of each head that has a target
  float weight;         // of a sample in the gradient
};

// Behind the weights' gradient, in this order: the sums of place, give and outcome losses, in nats and without penalty and
// weight, and the numbers of samples that have each.
inline constexpr int kFigures = 6;

QUARTO_DEVICE void accumulate(float* to, float x) {
#if defined(__CUDACC__)
  atomicAdd(to, x);  // does not wait for the old value, and no other thread adds to it in the same step
#else
  *to += x;
#endif
}
QUARTO_DEVICE float exponential(float x) {
#if defined(__CUDACC__)
  return expf(x);
#else
  return __builtin_expf(x);
#endif
}
QUARTO_DEVICE float logarithm(float x) {
#if defined(__CUDACC__)
  return logf(x);
#else
  return __builtin_logf(x);
#endif
}

// A row of a [W] by [W] matrix times a vector.
template <int W>
QUARTO_DEVICE float dot(const float* row, const float* x) {
  float sum[4] = {};
  QUARTO_UNROLL for (int j = 0; j < W; j += 4) {
#if defined(__CUDACC__)
    const float4 m = *reinterpret_cast<const float4*>(row + j);
    sum[0] += m.x * x[j], sum[1] += m.y * x[j + 1], sum[2] += m.z * x[j + 2], sum[3] += m.w * x[j + 3];
#else
    for (int k = 0; k < 4; ++k) sum[k] += row[j + k] * x[j + k];
#endif
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The cross entropy of the softmax over the moves with their shares, as cross_entropy() in train/pairs_gradient.cpp; `d` is
// its derivative with the penalty's, times loss.weight. logit(k), share(k), d(k): of move k of `count`. Returns whether
// any has a share.
template <class LOGIT, class SHARE, class D>
QUARTO_DEVICE bool cross_entropy(int count, const LOGIT& logit, const SHARE& share, bool any, const Loss& loss, D* d,
                                 float* nats) {
  float highest = logit(0), asked = 0, all = 0, right = 0;
  QUARTO_NO_UNROLL for (int k = 1; k < count; ++k) highest = larger(highest, logit(k));
  QUARTO_NO_UNROLL for (int k = 0; k < count; ++k) {
    const float e = exponential(logit(k) - highest);
    all += e;
    asked += share(k);
    if (share(k) > 0) right += e;
    d[k] = 0;
  }
  float sum = 0;
  // A number that is not finite must show, also where `larger` passed over it.
  QUARTO_NO_UNROLL for (int k = 0; k < count; ++k) sum += logit(k) - logit(k);
  *nats = sum;
  if (asked == 0) return false;
  any = any && right > 0;
  if (any) *nats += logarithm(all) - logarithm(right);
  QUARTO_NO_UNROLL for (int k = 0; k < count; ++k) {
    const float x = logit(k), e = exponential(x - highest);
    const float wanted = !any ? share(k) : share(k) > 0 ? e / right : 0.0F;
    if (!any) *nats -= share(k) * (x - highest - logarithm(all));
    d[k] = loss.weight * (e / all - wanted + 2 * loss.logit_penalty / static_cast<float>(count) * x);
  }
  return true;
}

// Memory of the device for a block of threads; network.blocks + 1 tapes follow it.
template <int W, int N, int LINES>
struct GradientScratch {
  float di[W * Shared<W, N, LINES>::kPairStride];  // with respect to the hidden layer of a block
  float dr[W * Shared<W, N, LINES>::kPairStride];  // with respect to ReLU of its input
  PairRows<N> rows;
};

template <int W, int N, int LINES, class THREADS>
class Gradient : Forward<W, N, LINES, THREADS, true> {
 public:
  using Scratch = GradientScratch<W, N, LINES>;
  using Tapes = Tape<W, N, LINES>;
  using Memory = Shared<W, N, LINES>;

  // Adds to `gradient`, which has `size` numbers in PairsLayout's order and then kFigures.
  QUARTO_DEVICE Gradient(const Network& network, Memory& shared, THREADS& threads, Scratch& scratch, float* gradient,
                         int size)
      : Base(network, shared, threads, reinterpret_cast<Tapes*>(&scratch + 1), &scratch.rows),
        x_(shared.heads),
        scratch_(scratch),
        g_(gradient),
        figures_(gradient + size) {}

  // The board must have 1 to N empty squares.
  QUARTO_DEVICE void run(const Sample& sample, const Loss& loss) {
    this->Base::run(sample.board, x_.logits);
    heads_back(sample, loss);
    for (int b = net_.blocks; b-- > 0;) block_back(b);
    stem_back();
  }

 private:
  using Base = Forward<W, N, LINES, THREADS, true>;
  using Base::empty_, Base::hand_, Base::items_, Base::left_, Base::n_, Base::net_, Base::placing_, Base::s_,
      Base::seen_, Base::tapes_, Base::threads_;
  using Base::h, Base::item, Base::weight;
  static constexpr int kPair = Memory::kPairStride, kItem = Memory::kItemStride, kVector = Memory::kVector;

  QUARTO_DEVICE float* into(int entry) const { return g_ + net_.offset[entry]; }

  // g[i][j] += the sum over items of x[i][item] * d[j][item], from ReLU of x if RELU; a thread computes a tile, whose
  // rows and columns are apart so that neighbours read neighbouring channels.
  template <bool RELU>
  QUARTO_DEVICE void outer(const float* x, const float* d, int stride, int count, float* g) {
    constexpr int kTile = W <= 32 ? 2 : 4, kTiles = W / kTile;
    threads_.each(kTiles * kTiles, [&](int i) {
      const int row = i / kTiles, column = i % kTiles;
      float sum[kTile][kTile] = {};
      for (int p = 0; p < count; ++p) {
        float a[kTile], b[kTile];
        QUARTO_UNROLL for (int u = 0; u < kTile; ++u) {
          const float v = x[(row + u * kTiles) * stride + p];
          a[u] = RELU ? positive(v) : v;
          b[u] = d[(column + u * kTiles) * stride + p];
        }
        QUARTO_UNROLL for (int u = 0; u < kTile; ++u) {
          QUARTO_UNROLL for (int v = 0; v < kTile; ++v) sum[u][v] += a[u] * b[v];
        }
      }
      QUARTO_UNROLL for (int u = 0; u < kTile; ++u) {
        QUARTO_UNROLL for (int v = 0; v < kTile; ++v)
            accumulate(g + (row + u * kTiles) * W + column + v * kTiles, sum[u][v]);
      }
    });
  }

  // The same for vectors of neighbouring numbers: g[i][j] += the sum over items of x[item][i] * d[item][j]; i < IN, j < OUT.
  template <int IN, int OUT>
  QUARTO_DEVICE void outer_of_vectors(const float* x, int x_stride, const float* d, int d_stride, int count, float* g) {
    threads_.each(IN * OUT, [&](int i) {
      float sum = 0;
      for (int k = 0; k < count; ++k) sum += x[k * x_stride + i / OUT] * d[k * d_stride + i % OUT];
      accumulate(g + i, sum);
    });
  }
  // to[item][i] = the sum over j of m[i][j] * d[item][j].
  template <int IN, int OUT>
  QUARTO_DEVICE void back(const float* m, const float* d, int d_stride, int count, float* to, int to_stride) {
    threads_.each(IN * count, [&](int i) {
      const int k = i % count, channel = i / count;
      float sum = 0;
      QUARTO_UNROLL_A_LITTLE for (int j = 0; j < OUT; ++j) sum += m[channel * OUT + j] * d[k * d_stride + j];
      to[k * to_stride + channel] = sum;
    });
  }
  template <int OUT>
  QUARTO_DEVICE void add_bias(const float* d, float* g) {
    threads_.each(OUT, [&](int j) { accumulate(g + j, d[j]); });
  }

  // The share of each element that attains a maximum, in the place of the maximum's derivative `d`: equal parts, and none of
  // a maximum of zero, below which the ReLU is constant. x(k): element k of `count`.
  template <class X>
  QUARTO_DEVICE static float share(float top, float d, int count, const X& x) {
    if (!(top > 0)) return 0;
    int ties = 0;
    for (int k = 0; k < count; ++k) ties += x(k) == top;
    return d / static_cast<float>(ties);
  }

  // From the derivatives with respect to the pools, which are in s_, to that with respect to the tape's h. FIRST: writes
  // `h`, else adds to it dr and what the lines' `item` get from the pairs.
  template <bool FIRST>
  QUARTO_DEVICE void pools_back(const Tapes& t) {
    threads_.each(W, [&](int j) {
      const float top = t.all_pool[W + j];
      const float part =
          share(top, s_.all_pool[W + j], n_, [&](int c) { return t.column_pool[c * 3 * W + 2 * W + j]; });
      for (int c = 0; c < n_; ++c) {
        float* const column = s_.column_pool + c * 3 * W + W + j;
        column[0] = (column[0] + s_.all_pool[j] * kAllScale) * kSumScale;
        if (t.column_pool[c * 3 * W + 2 * W + j] == top) column[W] += part;
        s_.row_pool[c * 2 * W + j] *= kSumScale;
      }
    });
    threads_.each(2 * n_ * W, [&](int i) {
      const int j = i / (2 * n_), k = i % (2 * n_);
      const float* const x = t.h + j * kPair;
      if (k < n_) {
        float& d = s_.row_pool[k * 2 * W + W + j];
        d = share(t.row_pool[k * 2 * W + W + j], d, n_, [&](int c) { return x[k * n_ + c]; });
      } else {
        const int column = k - n_;
        float& d = s_.column_pool[column * 3 * W + 2 * W + j];
        d = share(t.column_pool[column * 3 * W + 2 * W + j], d, n_, [&](int row) { return x[row * n_ + column]; });
      }
    });
    threads_.each(n_ * n_, [&](int i) {
      const int row = i / n_, c = i % n_;
      const float *const rows = s_.row_pool + row * 2 * W, *const columns = s_.column_pool + c * 3 * W;
      const float *const row_max = t.row_pool + row * 2 * W + W, *const column_max = t.column_pool + c * 3 * W + 2 * W;
      QUARTO_NO_UNROLL for (int j = 0; j < W; ++j) {
        const float x = t.h[j * kPair + i];
        float d = 0;
        if (x > 0) {
          d = rows[j] + columns[W + j];
          if (x == row_max[j]) d += rows[W + j];
          if (x == column_max[j]) d += columns[2 * W + j];
          if (row == hand_) d += columns[j];
          if constexpr (!FIRST) {
            float told = 0;
            for (int l = 0; l < net_.lines; ++l) {
              if (!(seen_.gaps[l] >> c & 1)) continue;
              for (unsigned rest = seen_.values[l] & own(seen_.pieces[row]); rest; rest &= rest - 1)
                told += item(j, seen_.first_item[l] + rank(seen_.values[l], lowest(rest)));
            }
            d += scratch_.dr[j * kPair + i] + told * kLineScale;
          }
        }
        h(j, i) = FIRST ? d : h(j, i) + d;
      }
    });
  }

  QUARTO_DEVICE void heads_back(const Sample& sample, const Loss& loss) {
    namespace at = pairs_entry;
    constexpr int kH = kHeadWidth;
    const auto entry = [&](int e) { return at::head(net_.blocks, e); };
    const int out = entry(placing_ ? at::kPlaceOut : at::kGiveOut);
    threads_.each(2, [&](int head) {
      float nats = 0;
      if (head == 0) {
        // Move k of the legal ones, as rows and columns are counted.
        const auto move = [&](int k) { return placing_ ? seen_.squares[k] : seen_.pieces[k]; };
        const bool asked = cross_entropy(
            n_, [&](int k) { return x_.logits[(placing_ ? 0 : kAllPieces) + move(k)]; },
            [&](int k) { return sample.policy[move(k)]; }, loss.any, loss, x_.policy, &nats);
        accumulate(figures_ + (placing_ ? 0 : 1), nats);
        if (asked) accumulate(figures_ + (placing_ ? 3 : 4), 1);
      } else {
        const bool asked = cross_entropy(
            3, [&](int k) { return x_.logits[2 * kAllPieces + k]; }, [&](int k) { return sample.outcome[k]; }, false,
            loss, x_.outcome, &nats);
        accumulate(figures_ + 2, nats);
        if (asked) accumulate(figures_ + 5, 1);
      }
    });
    threads_.each((n_ + 1) * kH, [&](int i) {
      const int k = i / kH, j = i % kH;
      if (k < n_) {
        x_.hidden[i] = s_.hidden[i] > 0 ? x_.policy[k] * weight(out)[j] : 0.0F;
        return;
      }
      float sum = 0;
      for (int o = 0; o < 3; ++o) sum += x_.outcome[o] * weight(entry(at::kOutcomeOut))[o * kH + j];
      x_.value[j] = s_.outcome_hidden[j] > 0 ? sum : 0.0F;
    });
    threads_.each(kH, [&](int j) {
      float of_out = 0, all = 0;
      for (int k = 0; k < n_; ++k) {
        of_out += x_.policy[k] * s_.hidden[k * kH + j];
        all += x_.hidden[k * kH + j];
      }
      accumulate(into(out) + j, of_out);
      x_.all[j] = all;
      for (int o = 0; o < 3; ++o)
        accumulate(into(entry(at::kOutcomeOut)) + o * kH + j, x_.outcome[o] * s_.outcome_hidden[j]);
      if (j < 3) accumulate(into(entry(at::kOutcomeOutBias)) + j, x_.outcome[j]);
    });
    const int all = entry(placing_ ? at::kPlaceAll : at::kGiveAll);
    add_bias<kH>(x_.all, into(entry(placing_ ? at::kPlaceBias : at::kGiveBias)));
    add_bias<kH>(x_.value, into(entry(at::kOutcomeBias)));
    outer_of_vectors<2 * W, kH>(s_.all_pool, 0, x_.all, 0, 1, into(all));
    outer_of_vectors<2 * W, kH>(s_.all_pool, 0, x_.value, 0, 1, into(entry(at::kOutcomeAll)));
    if (placing_) {
      outer_of_vectors<2 * W, kH>(s_.hand_pool, 0, x_.value, 0, 1, into(entry(at::kOutcomeHand)));
      outer_of_vectors<3 * W, kH>(s_.column_pool, 3 * W, x_.hidden, kH, n_, into(entry(at::kPlaceColumns)));
    } else {
      outer_of_vectors<2 * W, kH>(s_.row_pool, 2 * W, x_.hidden, kH, n_, into(entry(at::kGiveRows)));
    }

    // From here on the pools in s_ are derivatives.
    threads_.each(5 * n_ * W, [&](int i) { (i < 2 * n_ * W ? s_.row_pool[i] : s_.column_pool[i - 2 * n_ * W]) = 0; });
    threads_.each(2 * W, [&](int i) {
      s_.all_pool[i] =
          dot<kH>(weight(all) + i * kH, x_.all) + dot<kH>(weight(entry(at::kOutcomeAll)) + i * kH, x_.value);
    });
    const Tapes& t = tapes_[net_.blocks];
    if (placing_) {
      back<3 * W, kH>(weight(entry(at::kPlaceColumns)), x_.hidden, kH, n_, s_.column_pool, 3 * W);
      threads_.each(W, [&](int j) {
        const auto d_hand = [&](int i) { return dot<kH>(weight(entry(at::kOutcomeHand)) + i * kH, x_.value); };
        const auto of_hand = [&](int c) { return t.column_pool[c * 3 * W + j]; };
        const float sum = d_hand(j) * kSumScale, top = s_.hand_pool[W + j];
        const float part = share(top, d_hand(W + j), n_, of_hand);
        for (int c = 0; c < n_; ++c) s_.column_pool[c * 3 * W + j] += sum + (of_hand(c) == top ? part : 0.0F);
      });
    } else {
      back<2 * W, kH>(weight(entry(at::kGiveRows)), x_.hidden, kH, n_, s_.row_pool, 2 * W);
    }
    pools_back<true>(t);
  }

  // On entry h is the derivative with respect to the block's output, on return that with respect to its input.
  QUARTO_DEVICE void block_back(int b) {
    namespace at = pairs_entry;
    const auto e = [&](int entry) { return weight(at::block(b, entry)); };
    const auto g = [&](int entry) { return into(at::block(b, entry)); };
    const Tapes& t = tapes_[b];
    float *const di = scratch_.di, *const dr = scratch_.dr;
    const int pairs = n_ * n_;
    threads_.each(pairs, [&](int i) {
      float d[W];
      QUARTO_UNROLL for (int j = 0; j < W; ++j) d[j] = h(j, i);
      QUARTO_NO_UNROLL for (int j = 0; j < W; ++j) di[j * kPair + i] =
          t.inner[j * kPair + i] > 0 ? dot<W>(e(at::kOut) + j * W, d) : 0.0F;
      QUARTO_UNROLL for (int j = 0; j < W; ++j) d[j] = di[j * kPair + i];
      QUARTO_NO_UNROLL for (int j = 0; j < W; ++j) dr[j * kPair + i] = dot<W>(e(at::kSelf) + j * W, d);
    });
    outer<false>(t.inner, s_.h, kPair, pairs, g(at::kOut));
    outer<true>(t.h, di, kPair, pairs, g(at::kSelf));

    threads_.each((2 * n_ + 1) * W, [&](int i) {
      const int j = i / (2 * n_ + 1), k = i % (2 * n_ + 1);
      if (k == 2 * n_) {
        float sum = 0;
        for (int p = 0; p < pairs; ++p) sum += h(j, p);
        accumulate(g(at::kOutBias) + j, sum);
        return;
      }
      const bool row = k < n_;
      const float* const from = di + j * kPair + (row ? k * n_ : k - n_);
      float sum = 0;
      for (int p = 0; p < n_; ++p) sum += from[p * (row ? 1 : n_)];
      (row ? s_.row[k * kVector + j] : s_.column[(k - n_) * kVector + j]) = sum;
    });
    threads_.each(W, [&](int j) {
      float sum = 0;
      for (int k = 0; k < n_; ++k) sum += s_.row[k * kVector + j];
      s_.all[j] = sum;
      accumulate(g(at::kBias) + j, sum);
    });
    outer_of_vectors<2 * W, W>(t.all_pool, 0, s_.all, 0, 1, g(at::kAll));
    outer_of_vectors<2 * W, W>(t.row_pool, 2 * W, s_.row, kVector, n_, g(at::kRows));
    outer_of_vectors<3 * W, W>(t.column_pool, 3 * W, s_.column, kVector, n_, g(at::kColumns));
    outer_of_vectors<W, W>(t.to_square, W, s_.column, kVector, n_, g(at::kLineToSquare));
    back<2 * W, W>(e(at::kAll), s_.all, 0, 1, s_.all_pool, 0);
    back<2 * W, W>(e(at::kRows), s_.row, kVector, n_, s_.row_pool, 2 * W);
    back<3 * W, W>(e(at::kColumns), s_.column, kVector, n_, s_.column_pool, 3 * W);
    back<W, W>(e(at::kLineToSquare), s_.column, kVector, n_, s_.to_square, W);
    lines_back(b);
    pools_back<false>(t);
  }

  // From di and to_square: leaves in `item` the derivative with respect to the lines' input, and adds to that of the
  // columns' sums.
  QUARTO_DEVICE void lines_back(int b) {
    namespace at = pairs_entry;
    const auto e = [&](int entry) { return weight(at::block(b, entry)); };
    const auto g = [&](int entry) { return into(at::block(b, entry)); };
    const Tapes& t = tapes_[b];
    threads_.each(net_.lines * W, [&](int i) {
      float sum = 0;
      for (unsigned rest = seen_.gaps[i / W]; rest; rest &= rest - 1) sum += s_.to_square[lowest(rest) * W + i % W];
      s_.line[i] = sum * kToSquareScale;
    });
    threads_.each(items_ * W, [&](int i) {
      const int j = i / items_, k = i % items_;
      float sum = 0;
      for (int row = 0; row < n_; ++row) {
        if (!(own(seen_.pieces[row]) >> seen_.item_value[k] & 1)) continue;
        for (unsigned rest = seen_.gaps[seen_.item_line[k]]; rest; rest &= rest - 1)
          sum += scratch_.di[j * kPair + row * n_ + lowest(rest)];
      }
      item(j, k) = sum * kToPairScale;
    });
    outer<false>(t.message, s_.item, kItem, items_, g(at::kLineToPair));
    threads_.each(items_, [&](int k) {
      float d[W];
      QUARTO_UNROLL for (int j = 0; j < W; ++j) d[j] = item(j, k);
      const float* const line = s_.line + seen_.item_line[k] * W;
      QUARTO_NO_UNROLL for (int j = 0; j < W; ++j) item(j, k) =
          t.message[j * kItem + k] > 0 ? line[j] + dot<W>(e(at::kLineToPair) + j * W, d) : 0.0F;
    });
    outer<false>(t.line_in, s_.item, kItem, items_, g(at::kLineAttributeValue));
    threads_.each((net_.lines + light::kLineStates) * W, [&](int i) {
      const int l = i / W, j = i % W;
      float sum = 0;
      if (l < net_.lines) {
        for (int k = seen_.first_item[l]; k < seen_.first_item[l + 1]; ++k) sum += item(j, k);
        s_.per_line[i] = sum;
        return;
      }
      const int state = l - net_.lines;
      for (int k = 0; k < items_; ++k) {
        if (4 - count_of(seen_.gaps[seen_.item_line[k]]) == state) sum += item(j, k);
      }
      accumulate(g(at::kLineState) + state * W + j, sum);
    });
    outer_of_vectors<W, W>(t.line, W, s_.per_line, W, net_.lines, g(at::kLineSquares));
    threads_.each(items_, [&](int k) {
      float d[W];
      QUARTO_UNROLL for (int j = 0; j < W; ++j) d[j] = item(j, k);
      QUARTO_NO_UNROLL for (int j = 0; j < W; ++j) item(j, k) = dot<W>(e(at::kLineAttributeValue) + j * W, d);
    });
    back<W, W>(e(at::kLineSquares), s_.per_line, W, net_.lines, s_.line, W);
    threads_.each(n_ * W, [&](int i) {
      float sum = 0;
      for (int l = 0; l < net_.lines; ++l) {
        if (seen_.gaps[l] >> (i / W) & 1) sum += s_.line[l * W + i % W];
      }
      s_.column_pool[i / W * 3 * W + W + i % W] += sum;
    });
  }

  // The tables' rows: each thread adds, for one channel, to some of them.
  QUARTO_DEVICE void stem_back() {
    namespace at = pairs_entry;
    constexpr int kShares = 8, kFirstLater = light::first_row(light::kReplySafe);
    float* const first = into(at::table(net_.blocks, 0));
    float* const later = into(at::table(net_.blocks, light::kReplySafe)) - kFirstLater * W;
    threads_.each(kShares * W, [&](int i) {
      const int j = i % W, mine = i / W;
      for (int p = 0; p < n_ * n_; ++p) {
        const float d = h(j, p);
        const Byte* const rows = scratch_.rows.row + p * PairRows<N>::kMost;
        for (int k = 0; k < scratch_.rows.count[p]; ++k) {
          const int row = rows[k];
          if (row % kShares == mine) accumulate((row < kFirstLater ? first : later) + row * W + j, d);
        }
      }
    });
  }

  HeadsGradient& x_;
  Scratch& scratch_;
  float *g_, *figures_;
};

// What a block does: the samples first, first + step, ... below count whose boards have FEWEST to N empty squares.
// `scratch` and `gradient` are its own.
template <int W, int N, int FEWEST, int LINES, class THREADS>
QUARTO_DEVICE void add_gradient(const Network& network, Shared<W, N, LINES>& shared, THREADS& threads,
                                const Sample* samples, int count, int first, int step, const Loss& loss,
                                GradientScratch<W, N, LINES>& scratch, float* gradient, int size) {
  Gradient<W, N, LINES, THREADS> pass(network, shared, threads, scratch, gradient, size);
  for (int i = first; i < count; i += step) {
    const int empty = kAllPieces - count_of(samples[i].board.occupied);
    if (empty >= FEWEST && empty <= N) pass.run(samples[i], loss);
  }
}

// Sums column i of `rows` rows of `size` numbers, in order, and sets it to zero for the next batch.
QUARTO_DEVICE float take_sum(float* numbers, int rows, int size, int i) {
  float sum = 0;
  for (int row = 0; row < rows; ++row) {
    float& x = numbers[static_cast<long long>(row) * size + i];
    sum += x;
    x = 0;
  }
  return sum;
}

}  // namespace quarto::gpu
