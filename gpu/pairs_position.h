// The pairs network (docs/networks.md), forward, for one position and the threads of one block of a GPU. It is the
// source of the fused kernel of gpu/evaluator.cpp, and compiles as plain C++ as well: tests run it there with one
// thread and with several, and compare it with PairsKernel. It includes no header of the standard library, because a
// compiler at run time has none.
//
// Nothing but the position's bits comes in, and nothing but logits goes out. Between, all activations are in memory
// that the threads of a block share; the weights are read through the caches. Work is divided into steps; a step's
// items are independent of each other, and each thread takes some. What a step writes, the next one may read. In a wide
// network several threads share the channels of a pair, or of a line with a value: one would need more registers than leave
// room for many threads. Each sum is still one thread's, in the same order.
//
// Shared arrays are [channel][item] where a thread computes many channels of an item (pairs, lines with a value), and
// [item][channel] where it computes one channel of an item (rows, columns, lines), so that neighbouring threads use
// neighbouring words. The number of words between channels is odd, so that those of one channel fall into different memory
// banks; where several threads share an item at most two of them meet in one.
#pragma once

#include "gpu/pairs_look.h"
#include "light/pairs_constants.h"

#if defined(__CUDACC__)
#define QUARTO_UNROLL _Pragma("unroll")
#define QUARTO_UNROLL_A_LITTLE _Pragma("unroll 4")  // more would need more registers than there are
#else
#define QUARTO_UNROLL
#define QUARTO_UNROLL_A_LITTLE
#endif

namespace quarto::gpu {

namespace pairs_entry = light::pairs_entry;
using light::kAllScale, light::kCounts, light::kHeadWidth, light::kLineScale, light::kMostBlocks, light::kSumScale,
    light::kToPairScale, light::kToSquareScale;

inline constexpr int kLogits = 2 * kAllPieces + 3;  // place by square, give by piece, outcome

QUARTO_DEVICE float larger(float x, float y) { return x > y ? x : y; }
QUARTO_DEVICE float positive(float x) { return x > 0.0F ? x : 0.0F; }

// Channel j of a part: the parts take turns with four channels each, so that the threads of an item read
// neighbouring weights.
QUARTO_DEVICE constexpr int channel_of(int parts, int part, int j) { return (j / 4 * parts + part) * 4 + j % 4; }
// to[j] += from[channel j of the part], of W; `from` is aligned to 16 bytes.
template <int W, int PARTS>
QUARTO_DEVICE void add(int part, const float* from, float* to) {
  QUARTO_UNROLL for (int j = 0; j < W / PARTS; j += 4) {
    const float* const four = from + channel_of(PARTS, part, j);
#if defined(__CUDACC__)
    const float4 x = *reinterpret_cast<const float4*>(four);
    to[j] += x.x, to[j + 1] += x.y, to[j + 2] += x.z, to[j + 3] += x.w;
#else
    for (int k = 0; k < 4; ++k) to[j + k] += four[k];
#endif
  }
}

// to[j] += sum of x[i * stride] * m[i][channel j of the part] over i < W, from ReLU of x if RELU; m has rows of W.
template <int W, int PARTS, bool RELU = false>
QUARTO_DEVICE void multiply_add(int part, const float* x, int stride, const float* m, float* to) {
  QUARTO_UNROLL_A_LITTLE for (int i = 0; i < W; ++i) {
    const float v = RELU ? positive(x[i * stride]) : x[i * stride];
    QUARTO_UNROLL for (int j = 0; j < W / PARTS; j += 4) {
      const float* const four = m + i * W + channel_of(PARTS, part, j);
#if defined(__CUDACC__)
      const float4 w = *reinterpret_cast<const float4*>(four);
      to[j] += v * w.x, to[j + 1] += v * w.y, to[j + 2] += v * w.z, to[j + 3] += v * w.w;
#else
      for (int k = 0; k < 4; ++k) to[j + k] += v * four[k];
#endif
    }
  }
}

// The sum of x[i] * m[i][column] over i < IN; m has rows of OUT.
template <int IN, int OUT>
QUARTO_DEVICE float product(const float* x, const float* m, int column) {
  float sum = 0;
  QUARTO_UNROLL_A_LITTLE for (int i = 0; i < IN; ++i) sum += x[i] * m[i * OUT + column];
  return sum;
}

// The derivatives of the loss with respect to what the heads compute.
struct HeadsGradient {
  float logits[kLogits];  // themselves
  float policy[kAllPieces], outcome[3];
  float hidden[kAllPieces * kHeadWidth], all[kHeadWidth], value[kHeadWidth];
};

// What the threads share. W: the network's width; N: the most empty squares; LINES: the rules' lines.
template <int W, int N, int LINES>
struct Shared {
  static constexpr int kPairStride = (N * N) | 1;
  static constexpr int kItemStride = Seen<N, LINES>::kItems | 1;
  static constexpr int kVector = W + 1;  // between rows, and between columns, that threads read by pair

  float h[W * kPairStride];  // [channel][pair]
  union {
    SeenCounts<N> counts;         // for the stem
    float item[W * kItemStride];  // for the blocks, [channel][item]: input, then message, then what it tells the pairs
    HeadsGradient heads;          // for pairs_gradient.h
  };
  float line[LINES * W];  // sums over its squares, then sums of its messages
  float per_line[LINES * W];
  float row_pool[N * 2 * W];     // sum, maximum
  float column_pool[N * 3 * W];  // the piece in hand, sum, maximum
  float all_pool[2 * W];         // sum, maximum
  float to_square[N * W];
  float all[kHeadWidth > W ? kHeadWidth : W];
  float row[N * kVector], column[N * kVector];
  float hand_pool[2 * W];
  float hidden[kAllPieces * kHeadWidth], outcome_hidden[kHeadWidth];

  Seen<N, LINES> seen;
};

// What the gradient (pairs_gradient.h) needs of a block of the network: its input and what it computed from that. The
// heads have one too, without the lines.
template <int W, int N, int LINES>
struct Tape {
  using Of = Shared<W, N, LINES>;
  float h[W * Of::kPairStride];        // the input, before ReLU
  float inner[W * Of::kPairStride];    // the hidden layer, after ReLU
  float line_in[W * Of::kItemStride];  // by line and value, as the next
  float message[W * Of::kItemStride];
  float row_pool[N * 2 * W], column_pool[N * 3 * W], all_pool[2 * W];
  float line[LINES * W];  // sums over its squares
  float to_square[N * W];
};

// The rows of the tables that each pair adds, counted through.
template <int N>
struct PairRows {
  static constexpr int kMost = 72;  // with eight empty squares 65, with twelve 40
  Byte row[N * N * kMost], count[N * N];
};
static_assert(light::kPairRows <= 256, "a row fits into a byte");

// One pass. THREADS is that of Look with two additions: kParts, the threads that share the channels of an item, and
// meet(i, count), which f(i) of each(count, f) calls to wait for those with the same i / kParts. KEEP: it writes a tape for
// each block and for the heads.
template <int W, int N, int LINES, class THREADS, bool KEEP = false>
class Forward : protected Look<N, LINES, THREADS> {
 public:
  using Memory = Shared<W, N, LINES>;

  QUARTO_DEVICE Forward(const Network& network, Memory& shared, THREADS& threads, Tape<W, N, LINES>* tapes = nullptr,
                        PairRows<N>* rows = nullptr)
      : Base(network, shared.seen, shared.counts, threads), s_(shared), tapes_(tapes), rows_(rows) {}

  // Writes kLogits numbers; those of moves that are illegal, or of the other phase, are 0. The board must have 1 to N
  // empty squares.
  QUARTO_DEVICE void run(const Board& board, float* logits) {
    look(board);
    stem();
    for (int b = 0; b < net_.blocks; ++b) block(b);
    heads(logits);
  }

 protected:
  using Base = Look<N, LINES, THREADS>;
  using Base::each_row, Base::look;
  using Base::empty_, Base::hand_, Base::items_, Base::left_, Base::n_, Base::net_, Base::placing_, Base::safe_,
      Base::seen_, Base::threads_;
  static constexpr int kParts = THREADS::kParts, kOwn = W / kParts;  // kOwn: the channels of a part
  static_assert(W % (4 * kParts) == 0);
  static_assert(kParts == 1 || !KEEP, "the rows of a pair are kept by one thread");

  // f(i, part, meet) for all parts of all i below count. meet() separates what a part writes from what others read before
  // and after.
  template <class F>
  QUARTO_DEVICE void each_in_parts(int count, const F& f) {
    threads_.each(count * kParts, [&](int i) { f(i / kParts, i % kParts, [&] { threads_.meet(i, count * kParts); }); });
  }

  QUARTO_DEVICE const float* weight(int entry) const { return net_.weights + net_.offset[entry]; }
  QUARTO_DEVICE float& h(int channel, int pair) { return s_.h[channel * Memory::kPairStride + pair]; }
  QUARTO_DEVICE float& item(int channel, int i) { return s_.item[channel * Memory::kItemStride + i]; }

  QUARTO_DEVICE void stem() {
    each_in_parts(n_ * n_, [&](int i, int part, const auto&) {
      float sum[kOwn] = {};
      int count = 0;
      each_row(i, [&](int table, unsigned row) {
        add<W, kParts>(part, weight(pairs_entry::table(net_.blocks, table)) + static_cast<int>(row) * W, sum);
        if constexpr (KEEP)
          rows_->row[i * PairRows<N>::kMost + count++] = byte(static_cast<unsigned>(light::first_row(table)) + row);
      });
      if constexpr (KEEP) rows_->count[i] = byte(static_cast<unsigned>(count));
      QUARTO_UNROLL for (int j = 0; j < kOwn; ++j) h(channel_of(kParts, part, j), i) = sum[j];
    });
  }

  // The pools of r = relu(h).
  QUARTO_DEVICE void pool() {
    threads_.each(2 * n_ * W, [&](int i) {
      const bool rows = i < n_ * W;
      const int k = (rows ? i : i - n_ * W) / W, channel = i % W;
      const int from = rows ? k * n_ : k, step = rows ? 1 : n_;
      float sum = 0, max = 0;
      for (int j = 0; j < n_; ++j) {
        const float x = positive(h(channel, from + j * step));
        sum += x;
        max = larger(max, x);
      }
      if (rows) {
        s_.row_pool[k * 2 * W + channel] = sum * kSumScale;
        s_.row_pool[k * 2 * W + W + channel] = max;
      } else {
        s_.column_pool[k * 3 * W + channel] = placing_ ? positive(h(channel, hand_ * n_ + k)) : 0.0F;
        s_.column_pool[k * 3 * W + W + channel] = sum * kSumScale;
        s_.column_pool[k * 3 * W + 2 * W + channel] = max;
      }
    });
    threads_.each(W, [&](int channel) {
      float sum = 0, max = 0;
      for (int c = 0; c < n_; ++c) {
        sum += s_.column_pool[c * 3 * W + W + channel] * kAllScale;
        max = larger(max, s_.column_pool[c * 3 * W + 2 * W + channel]);
      }
      s_.all_pool[channel] = sum;
      s_.all_pool[W + channel] = max;
    });
  }

  QUARTO_DEVICE void copy(const float* from, int count, float* to) {
    threads_.each(count, [&](int i) { to[i] = from[i]; });
  }
  QUARTO_DEVICE void keep_pools(int tape) {
    if constexpr (KEEP) {
      copy(s_.row_pool, n_ * 2 * W, tapes_[tape].row_pool);
      copy(s_.column_pool, n_ * 3 * W, tapes_[tape].column_pool);
      copy(s_.all_pool, 2 * W, tapes_[tape].all_pool);
    }
  }
  QUARTO_DEVICE void keep_items(float* to) {
    threads_.each(items_, [&](int k) {
      QUARTO_UNROLL_A_LITTLE for (int j = 0; j < W; ++j) to[j * Memory::kItemStride + k] = item(j, k);
    });
  }

  // Fills `item` with what each line and value tells the pairs, and to_square.
  QUARTO_DEVICE void messages(int b) {
    namespace at = pairs_entry;
    threads_.each(net_.lines * W, [&](int i) {
      float sum = 0;
      for (unsigned rest = seen_.gaps[i / W]; rest; rest &= rest - 1)
        sum += s_.column_pool[lowest(rest) * 3 * W + W + i % W];
      s_.line[i] = sum;
    });
    threads_.each(net_.lines * W, [&](int i) {
      s_.per_line[i] = product<W, W>(s_.line + i / W * W, weight(at::block(b, at::kLineSquares)), i % W);
    });
    threads_.each(items_ * W, [&](int i) {
      const int k = i / W, channel = i % W;
      const unsigned value = seen_.item_value[k];
      float sum = 0;
      for (int row = 0; row < n_; ++row) {
        if (!(own(seen_.pieces[row]) >> value & 1)) continue;
        for (unsigned rest = seen_.gaps[seen_.item_line[k]]; rest; rest &= rest - 1)
          sum += positive(h(channel, row * n_ + lowest(rest)));
      }
      item(channel, k) = sum * kLineScale;
    });
    if constexpr (KEEP) {
      copy(s_.line, net_.lines * W, tapes_[b].line);
      keep_items(tapes_[b].line_in);
    }
    each_in_parts(items_, [&](int k, int part, const auto& meet) {
      const int line = seen_.item_line[k], state = 4 - count_of(seen_.gaps[line]);
      float sum[kOwn] = {};
      add<W, kParts>(part, weight(at::block(b, at::kLineState)) + state * W, sum);
      QUARTO_UNROLL for (int j = 0; j < kOwn; ++j) sum[j] += s_.per_line[line * W + channel_of(kParts, part, j)];
      multiply_add<W, kParts>(part, &item(0, k), Memory::kItemStride, weight(at::block(b, at::kLineAttributeValue)),
                              sum);
      meet();
      QUARTO_UNROLL for (int j = 0; j < kOwn; ++j) item(channel_of(kParts, part, j), k) = positive(sum[j]);
    });
    threads_.each(net_.lines * W, [&](int i) {
      const int line = i / W;
      float sum = 0;
      for (int k = seen_.first_item[line]; k < seen_.first_item[line + 1]; ++k) sum += item(i % W, k);
      s_.line[i] = sum;
    });
    threads_.each(n_ * W, [&](int i) {
      float sum = 0;
      for (int l = 0; l < net_.lines; ++l) {
        if (seen_.gaps[l] >> (i / W) & 1) sum += s_.line[l * W + i % W];
      }
      s_.to_square[i] = sum * kToSquareScale;
    });
    if constexpr (KEEP) {
      copy(s_.to_square, n_ * W, tapes_[b].to_square);
      keep_items(tapes_[b].message);
    }
    // From here on `item` is what the messages tell the pairs.
    each_in_parts(items_, [&](int k, int part, const auto& meet) {
      float sum[kOwn] = {};
      multiply_add<W, kParts>(part, &item(0, k), Memory::kItemStride, weight(at::block(b, at::kLineToPair)), sum);
      meet();
      QUARTO_UNROLL for (int j = 0; j < kOwn; ++j) item(channel_of(kParts, part, j), k) = sum[j];
    });
  }

  // h += out(relu(self + rows + columns + all + lines))
  QUARTO_DEVICE void block(int b) {
    namespace at = pairs_entry;
    const auto e = [&](int entry) { return weight(at::block(b, entry)); };
    pool();
    keep_pools(b);
    messages(b);
    threads_.each(W, [&](int j) { s_.all[j] = e(at::kBias)[j] + product<2 * W, W>(s_.all_pool, e(at::kAll), j); });
    threads_.each(n_ * W, [&](int i) {
      const int k = i / W, j = i % W;
      s_.row[k * Memory::kVector + j] = s_.all[j] + product<2 * W, W>(s_.row_pool + k * 2 * W, e(at::kRows), j);
      s_.column[k * Memory::kVector + j] = product<3 * W, W>(s_.column_pool + k * 3 * W, e(at::kColumns), j) +
                                           product<W, W>(s_.to_square + k * W, e(at::kLineToSquare), j);
    });
    each_in_parts(n_ * n_, [&](int i, int part, const auto& meet) {
      const int row = i / n_, c = i % n_;
      float inner[kOwn] = {};
      for (int l = 0; l < net_.lines; ++l) {
        if (!(seen_.gaps[l] >> c & 1)) continue;
        for (unsigned rest = seen_.values[l] & own(seen_.pieces[row]); rest; rest &= rest - 1) {
          const int k = seen_.first_item[l] + rank(seen_.values[l], lowest(rest));
          QUARTO_UNROLL for (int j = 0; j < kOwn; ++j) inner[j] += item(channel_of(kParts, part, j), k);
        }
      }
      QUARTO_UNROLL for (int j = 0; j < kOwn; ++j) {
        const int channel = channel_of(kParts, part, j);
        inner[j] = inner[j] * kToPairScale + s_.row[row * Memory::kVector + channel] +
                   s_.column[c * Memory::kVector + channel];
      }
      multiply_add<W, kParts, true>(part, &h(0, i), Memory::kPairStride, e(at::kSelf), inner);
      meet();
      float out[kOwn];
      QUARTO_UNROLL for (int j = 0; j < kOwn; ++j) {
        const int channel = channel_of(kParts, part, j);
        out[j] = h(channel, i);
        if constexpr (KEEP) tapes_[b].h[channel * Memory::kPairStride + i] = out[j];
        h(channel, i) = positive(inner[j]);
        if constexpr (KEEP) tapes_[b].inner[channel * Memory::kPairStride + i] = h(channel, i);
      }
      meet();
      add<W, kParts>(part, e(at::kOutBias), out);
      multiply_add<W, kParts>(part, &h(0, i), Memory::kPairStride, e(at::kOut), out);
      meet();
      QUARTO_UNROLL for (int j = 0; j < kOwn; ++j) h(channel_of(kParts, part, j), i) = out[j];
    });
  }

  QUARTO_DEVICE void heads(float* logits) {
    namespace at = pairs_entry;
    constexpr int kH = kHeadWidth;
    const auto e = [&](int entry) { return weight(at::head(net_.blocks, entry)); };
    pool();
    keep_pools(net_.blocks);
    if constexpr (KEEP) {
      threads_.each(n_ * n_, [&](int i) {
        QUARTO_UNROLL_A_LITTLE for (int j = 0; j < W; ++j) tapes_[net_.blocks].h[j * Memory::kPairStride + i] = h(j, i);
      });
    }
    threads_.each(W, [&](int channel) {
      float sum = 0, max = 0;
      for (int c = 0; c < n_; ++c) {
        const float x = s_.column_pool[c * 3 * W + channel];
        sum += kSumScale * x;
        max = larger(max, x);
      }
      s_.hand_pool[channel] = sum;
      s_.hand_pool[W + channel] = max;
    });
    threads_.each(2 * kH, [&](int i) {
      const int j = i % kH;
      if (i < kH) {
        s_.all[j] = e(placing_ ? at::kPlaceBias : at::kGiveBias)[j] +
                    product<2 * W, kH>(s_.all_pool, e(placing_ ? at::kPlaceAll : at::kGiveAll), j);
      } else {
        float sum = e(at::kOutcomeBias)[j] + product<2 * W, kH>(s_.all_pool, e(at::kOutcomeAll), j);
        if (placing_) sum += product<2 * W, kH>(s_.hand_pool, e(at::kOutcomeHand), j);
        s_.outcome_hidden[j] = positive(sum);
      }
    });
    threads_.each(n_ * kH, [&](int i) {
      const int k = i / kH, j = i % kH;
      const float own_part = placing_ ? product<3 * W, kH>(s_.column_pool + k * 3 * W, e(at::kPlaceColumns), j)
                                      : product<2 * W, kH>(s_.row_pool + k * 2 * W, e(at::kGiveRows), j);
      s_.hidden[i] = positive(s_.all[j] + own_part);
    });
    threads_.each(kLogits, [&](int i) {
      if (i >= 2 * kAllPieces) {
        const int k = i - 2 * kAllPieces;
        float sum = e(at::kOutcomeOutBias)[k];
        for (int j = 0; j < kH; ++j) sum += e(at::kOutcomeOut)[k * kH + j] * s_.outcome_hidden[j];
        logits[i] = sum;
        return;
      }
      const bool place = i < kAllPieces;
      const int move = i % kAllPieces;
      const unsigned moves = place ? empty_ : left_;
      float sum = 0;
      if (place == placing_ && (moves >> move & 1)) {
        const float* out = e(place ? at::kPlaceOut : at::kGiveOut);
        for (int j = 0; j < kH; ++j) sum += out[j] * s_.hidden[rank(moves, move) * kH + j];
      }
      logits[i] = sum;
    });
  }

  Memory& s_;
  Tape<W, N, LINES>* tapes_;
  PairRows<N>* rows_;
};

// What a block does: the boards first, first + step, ... below count that have FEWEST to N empty squares. Row i of
// `logits` is that of board i.
template <int W, int N, int FEWEST, int LINES, class THREADS>
QUARTO_DEVICE void forward(const Network& network, Shared<W, N, LINES>& shared, THREADS& threads, const Board* boards,
                           int count, int first, int step, float* logits) {
  Forward<W, N, LINES, THREADS> pass(network, shared, threads);
  for (int i = first; i < count; i += step) {
    const Board board = boards[i];
    const int empty = kAllPieces - count_of(board.occupied);
    if (empty >= FEWEST && empty <= N) pass.run(board, logits + i * kLogits);
  }
}

}  // namespace quarto::gpu
