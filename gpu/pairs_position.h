// The pairs network (docs/networks.md), forward, for one position and the threads of one block of a GPU. It is the
// source of the fused kernel of gpu/evaluator.cpp, and compiles as plain C++ as well: tests run it there with one
// thread and with several, and compare it with PairsKernel. It includes no header of the standard library, because a
// compiler at run time has none.
//
// Nothing but the position's bits comes in, and nothing but logits goes out. Between, all activations are in memory
// that the threads of a block share; the weights are read through the caches. Work is divided into steps; a step's
// items are independent of each other, and each thread takes some. What a step writes, the next one may read.
//
// Shared arrays are [channel][item] where a thread computes all channels of an item (pairs, lines with a value), and
// [item][channel] where it computes one channel of an item (rows, columns, lines), so that neighbouring threads use
// neighbouring words. The number of words between channels is odd, so that they fall into different memory banks.
#pragma once

#include "light/pairs_constants.h"

#if defined(__CUDACC__)
#define QUARTO_DEVICE __device__
#define QUARTO_UNROLL _Pragma("unroll")
#define QUARTO_UNROLL_A_LITTLE _Pragma("unroll 4")  // more would need more registers than there are
#else
#define QUARTO_DEVICE inline
#define QUARTO_UNROLL
#define QUARTO_UNROLL_A_LITTLE
#endif

namespace quarto::gpu {

namespace pairs_entry = light::pairs_entry;
using light::kAllScale, light::kCounts, light::kHeadWidth, light::kLineScale, light::kMostBlocks,
    light::kMostReplySquares, light::kMostThirdSquares, light::kReplyCounts, light::kSumScale, light::kThirdCounts,
    light::kToPairScale, light::kToSquareScale, light::kWins;

using Byte = unsigned char;
using Bits = unsigned short;  // sets of squares, of pieces, of columns

inline constexpr int kNoPiece = 16, kAllPieces = 16, kValues = 8, kLinesOfSquares = 19;
inline constexpr int kLogits = 2 * kAllPieces + 3;  // place by square, give by piece, outcome
inline constexpr int kMostEntries = pairs_entry::kStem + kMostBlocks * pairs_entry::kBlock + pairs_entry::kHeads +
                                    pairs_entry::kReplies + pairs_entry::kThird;

// A position, not terminal.
struct Board {
  Bits attribute[4];  // the squares whose piece has the attribute
  Bits occupied;
  Bits hand;  // 0..15, or kNoPiece
};

struct Network {
  const float* weights;  // in PairsLayout's order; aligned to 16 bytes
  int blocks;
  int lines;                   // 10 or 19, as the rules are
  Bits line[kLinesOfSquares];  // the squares of each
  int offset[kMostEntries];    // of PairsLayout's entries, in floats
};

QUARTO_DEVICE int count_of(unsigned x) {
#if defined(__CUDACC__)
  return __popc(x);
#else
  return __builtin_popcount(x);
#endif
}
// The index of the lowest element; x must not be empty.
QUARTO_DEVICE int lowest(unsigned x) {
#if defined(__CUDACC__)
  return __ffs(static_cast<int>(x)) - 1;
#else
  return __builtin_ctz(x);
#endif
}
QUARTO_DEVICE float larger(float x, float y) { return x > y ? x : y; }
QUARTO_DEVICE float positive(float x) { return x > 0.0F ? x : 0.0F; }
QUARTO_DEVICE Byte byte(unsigned x) { return static_cast<Byte>(x); }

// The attribute values of a piece, as a set: 2a + 1 if it has attribute a, else 2a.
QUARTO_DEVICE unsigned own(unsigned piece) {
  const unsigned apart = (piece & 1) | (piece & 2) << 1 | (piece & 4) << 2 | (piece & 8) << 3;
  return (0x55U & ~apart) | apart << 1;
}

// to[0..W) += from[0..W); `from` is aligned to 16 bytes.
template <int W>
QUARTO_DEVICE void add(const float* from, float* to) {
  QUARTO_UNROLL for (int j = 0; j < W; j += 4) {
#if defined(__CUDACC__)
    const float4 x = *reinterpret_cast<const float4*>(from + j);
    to[j] += x.x, to[j + 1] += x.y, to[j + 2] += x.z, to[j + 3] += x.w;
#else
    for (int k = 0; k < 4; ++k) to[j + k] += from[j + k];
#endif
  }
}

// to[0..W) += sum of x[i * stride] * m[i][0..W) over i < W.
template <int W>
QUARTO_DEVICE void multiply_add(const float* x, int stride, const float* m, float* to) {
  QUARTO_UNROLL_A_LITTLE for (int i = 0; i < W; ++i) {
    const float v = x[i * stride];
    QUARTO_UNROLL for (int j = 0; j < W; j += 4) {
#if defined(__CUDACC__)
      const float4 w = *reinterpret_cast<const float4*>(m + i * W + j);
      to[j] += v * w.x, to[j + 1] += v * w.y, to[j + 2] += v * w.z, to[j + 3] += v * w.w;
#else
      for (int k = 0; k < 4; ++k) to[j + k] += v * m[i * W + j + k];
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

constexpr int least_of(int a, int b) { return a < b ? a : b; }

// What the threads share. W: the network's width; N: the most empty squares; LINES: the rules' lines.
template <int W, int N, int LINES>
struct Shared {
  static constexpr int kPairs = N * N, kPairStride = kPairs | 1;
  static constexpr int kItems = LINES * kValues, kItemStride = kItems | 1;
  static constexpr int kVector = W + 1;  // between rows, and between columns, that threads read by pair
  static constexpr int kReplies = least_of(N, kMostReplySquares), kThird = least_of(N, kMostThirdSquares);

  float h[W * kPairStride];     // [channel][pair]
  float item[W * kItemStride];  // [channel][item]: input, then message, then what it tells the pairs
  float line[LINES * W];        // sums over its squares, then sums of its messages
  float per_line[LINES * W];
  float row_pool[N * 2 * W];     // sum, maximum
  float column_pool[N * 3 * W];  // the piece in hand, sum, maximum
  float all_pool[2 * W];         // sum, maximum
  float to_square[N * W];
  float all[kHeadWidth > W ? kHeadWidth : W];
  float row[N * kVector], column[N * kVector];
  float hand_pool[2 * W];
  float hidden[kAllPieces * kHeadWidth], outcome_hidden[kHeadWidth];

  Bits without[256];  // by set of attribute values: the pieces that have none of them
  Bits given[kPairs];
  Bits gaps[LINES];                              // columns; empty: the line is full
  Bits reply[kReplies * kReplies * kAllPieces];  // by pair and q: bits 0..3 safe, 4..7 odd, 8..11 one
  Bits third[kThird * kThird * kThird];  // by pair and the row of q: bits 0..3 none, 4..7 one, 8..11 odd, 12..15 least
  Byte values[LINES];                    // for which it is alive
  Byte first_item[LINES + 1];
  Byte item_line[kItems], item_value[kItems];
  Byte pieces[N], squares[N];  // by row, by column
  Byte category[kPairs];
  Byte completes[N], prepares[N], elsewhere[N];            // by column
  Byte else_two[kPairs], rest_two[kPairs], three[kPairs];  // by columns s, z
};

// THREADS has each(count, f): f(i) for all i below count, in any order and by any thread, and a wait for all of them.
template <int W, int N, int LINES, int PLACEMENTS, class THREADS>
class Forward {
 public:
  using Memory = Shared<W, N, LINES>;

  QUARTO_DEVICE Forward(const Network& network, Memory& shared, THREADS& threads)
      : net_(network), s_(shared), threads_(threads) {
    threads_.each(256, [&](int values) {
      unsigned left = 0;
      for (unsigned p = 0; p < kAllPieces; ++p) {
        if (!(own(p) & static_cast<unsigned>(values))) left |= 1U << p;
      }
      s_.without[values] = static_cast<Bits>(left);
    });
  }

  // Writes kLogits numbers; those of moves that are illegal, or of the other phase, are 0. The board must have 1 to N
  // empty squares.
  QUARTO_DEVICE void run(const Board& board, float* logits) {
    begin(board);
    lines(board);
    pairs();
    if constexpr (PLACEMENTS > 1) {
      if (n_ <= kMostReplySquares) replies();
    }
    if constexpr (PLACEMENTS > 2) {
      if (n_ <= kMostThirdSquares) third();
    }
    stem();
    for (int b = 0; b < net_.blocks; ++b) block(b);
    heads(logits);
  }

 private:
  QUARTO_DEVICE const float* weight(int entry) const { return net_.weights + net_.offset[entry]; }
  QUARTO_DEVICE static int rank(unsigned set, int element) { return count_of(set & ((1U << element) - 1)); }
  QUARTO_DEVICE float& h(int channel, int pair) { return s_.h[channel * Memory::kPairStride + pair]; }
  QUARTO_DEVICE float& item(int channel, int i) { return s_.item[channel * Memory::kItemStride + i]; }

  // What every thread knows of the board without the others.
  QUARTO_DEVICE void begin(const Board& board) {
    empty_ = ~board.occupied & 0xFFFFU;
    n_ = count_of(empty_);
    placing_ = board.hand != kNoPiece;
    // A piece lies on the board if all four attributes of some square are its own.
    left_ = 0xFFFFU;
    for (unsigned rest = board.occupied; rest; rest &= rest - 1) {
      const int square = lowest(rest);
      unsigned piece = 0;
      for (int a = 0; a < 4; ++a) piece |= (static_cast<unsigned>(board.attribute[a]) >> square & 1U) << a;
      left_ &= ~(1U << piece);
    }
    hand_ = placing_ ? rank(left_, board.hand) : -1;
    available_ = placing_ ? left_ & ~(1U << board.hand) : left_;
  }

  // Rows, columns, lines and the values that they are alive for.
  QUARTO_DEVICE void lines(const Board& board) {
    threads_.each(kAllPieces, [&](int i) {
      if (left_ >> i & 1) s_.pieces[rank(left_, i)] = byte(static_cast<unsigned>(i));
      if (empty_ >> i & 1) s_.squares[rank(empty_, i)] = byte(static_cast<unsigned>(i));
    });
    threads_.each(net_.lines, [&](int l) {
      const unsigned line = net_.line[l], pieces_on = line & ~empty_;
      unsigned gaps = 0, values = 0;
      for (unsigned rest = line & empty_; rest; rest &= rest - 1) gaps |= 1U << rank(empty_, lowest(rest));
      for (int a = 0; a < 4 && gaps; ++a) {
        const unsigned with = board.attribute[a] & pieces_on;
        if (with == 0) values |= 1U << (2 * a);
        if (with == pieces_on) values |= 2U << (2 * a);
      }
      s_.gaps[l] = static_cast<Bits>(gaps);
      s_.values[l] = byte(values);
    });
    threads_.each(net_.lines + 1, [&](int l) {
      int at = 0;
      for (int k = 0; k < l; ++k) at += count_of(s_.values[k]);
      s_.first_item[l] = byte(static_cast<unsigned>(at));
      if (l == net_.lines) return;
      for (unsigned rest = s_.values[l]; rest; rest &= rest - 1) {
        s_.item_line[at] = byte(static_cast<unsigned>(l));
        s_.item_value[at++] = byte(static_cast<unsigned>(lowest(rest)));
      }
    });
    items_ = s_.first_item[net_.lines];
    anywhere_ = 0;
    for (int l = 0; l < net_.lines; ++l) {
      if (count_of(s_.gaps[l]) == 1) anywhere_ |= s_.values[l];
    }
    safe_ = count_of(available_ & s_.without[anywhere_]);
    threads_.each(n_, [&](int c) {
      unsigned completes = 0, prepares = 0, elsewhere = 0;
      for (int l = 0; l < net_.lines; ++l) {
        const int gaps = count_of(s_.gaps[l]);
        const bool here = s_.gaps[l] >> c & 1;
        if (gaps == 1) (here ? completes : elsewhere) |= s_.values[l];
        if (gaps == 2 && here) prepares |= s_.values[l];
      }
      s_.completes[c] = byte(completes);
      s_.prepares[c] = byte(prepares);
      s_.elsewhere[c] = byte(elsewhere);
    });
  }

  QUARTO_DEVICE bool loses(int row) const { return (own(s_.pieces[row]) & anywhere_) != 0; }

  // Categories, as in PairsInput.
  QUARTO_DEVICE void pairs() {
    threads_.each(n_ * n_, [&](int i) {
      const unsigned piece = s_.pieces[i / n_], mine = own(piece);
      const int c = i % n_;
      const bool wins = (mine & s_.completes[c]) != 0;
      const unsigned safe = left_ & ~(1U << piece) & s_.without[s_.elsewhere[c] | (s_.prepares[c] & mine)];
      s_.category[i] = wins ? byte(kWins) : byte(static_cast<unsigned>(count_of(safe)));
      s_.given[i] = wins ? Bits{0} : static_cast<Bits>(safe);
    });
  }

  // Replies: N(p, s, q, z) as in light/replies.h, one thread for each pair (p, s) and q.
  QUARTO_DEVICE unsigned safe_after(int s, int z, unsigned p, unsigned q) const {
    const unsigned danger = s_.else_two[s * n_ + z] | (s_.rest_two[s * n_ + z] & own(p)) |
                            (s_.rest_two[z * n_ + s] & own(q)) | (s_.three[s * n_ + z] & own(p) & own(q));
    return left_ & ~(1U << p) & ~(1U << q) & s_.without[danger];
  }
  QUARTO_DEVICE void replies() {
    threads_.each(n_ * n_, [&](int i) {
      const int s = i / n_, z = i % n_;
      unsigned elsewhere = 0, rest = 0, three = 0;
      for (int l = 0; l < net_.lines; ++l) {
        const unsigned gaps = s_.gaps[l];
        const int count = count_of(gaps);
        const bool at_s = gaps >> s & 1, at_z = gaps >> z & 1;
        if (count == 1 && !at_s && !at_z) elsewhere |= s_.values[l];
        if (count == 2 && at_s && !at_z) rest |= s_.values[l];
        if (count == 3 && at_s && at_z) three |= s_.values[l];
      }
      s_.else_two[i] = byte(elsewhere);
      s_.rest_two[i] = byte(rest);
      s_.three[i] = byte(three);
    });
    threads_.each(n_ * n_ * n_, [&](int i) {
      const int pair = i / n_, s = pair % n_;
      const unsigned p = s_.pieces[pair / n_], q = s_.pieces[i % n_];
      if (!(s_.given[pair] >> q & 1)) return;
      unsigned safe = 0, odd = 0, one = 0;
      for (int z = 0; z < n_; ++z) {
        if (z == s) continue;
        const int count = count_of(safe_after(s, z, p, q));
        safe += count > 0;
        odd += static_cast<unsigned>(count & 1);
        one += count == 1;
      }
      s_.reply[pair * kAllPieces + static_cast<int>(q)] = static_cast<Bits>(safe | odd << 4 | one << 8);
    });
  }

  // The pieces q of a pair, as in light/third_placement.h.
  QUARTO_DEVICE unsigned given_third(int pair) const {
    const int row = pair / n_;
    const bool counted = placing_ ? row == hand_ : !loses(row);
    return counted ? s_.given[pair] : 0;
  }

  // The least number, over the pieces r of `given`, of columns on which r leaves something safe, after p is on s and q
  // on z. A column has eight bits of a word.
  QUARTO_DEVICE unsigned least_after(int s, int z, unsigned p, unsigned q, unsigned given) const {
    unsigned long long completes = 0, prepares = 0;
    for (int l = 0; l < net_.lines; ++l) {
      unsigned gaps = s_.gaps[l], values = s_.values[l];
      if (gaps >> s & 1) values &= own(p);
      if (gaps >> z & 1) values &= own(q);
      gaps &= ~(1U << s | 1U << z);
      const int count = count_of(gaps);
      if (count != 1 && count != 2) continue;
      const unsigned long long here = static_cast<unsigned long long>(values) << (8 * lowest(gaps));
      if (count == 1) {
        completes |= here;
      } else {
        prepares |= here | static_cast<unsigned long long>(values) << (8 * lowest(gaps & (gaps - 1)));
      }
    }
    const unsigned others = left_ & ~(1U << p) & ~(1U << q);
    unsigned least = kReplyCounts - 1;
    for (unsigned rest = given; rest; rest &= rest - 1) {
      const unsigned r = static_cast<unsigned>(lowest(rest));
      unsigned count = 0;
      for (int w = 0; w < n_; ++w) {
        if (w == s || w == z) continue;
        unsigned long long x = completes & ~(0xFFULL << (8 * w));
        x |= x >> 32;
        x |= x >> 16;
        x |= x >> 8;
        const unsigned danger =
            (static_cast<unsigned>(x) | (static_cast<unsigned>(prepares >> (8 * w)) & own(r))) & 0xFF;
        count += (others & ~(1U << r) & s_.without[danger]) != 0;
      }
      least = count < least ? count : least;
    }
    return least;
  }

  QUARTO_DEVICE void third() {
    threads_.each(n_ * n_ * n_, [&](int i) {
      const int pair = i / n_, s = pair % n_;
      const unsigned p = s_.pieces[pair / n_], q = s_.pieces[i % n_];
      if (!(given_third(pair) >> q & 1)) return;
      unsigned none = 0, one = 0, odd = 0, least = kThirdCounts - 1;
      for (int z = 0; z < n_; ++z) {
        if (z == s) continue;
        const unsigned given = safe_after(s, z, p, q);
        if (!given) continue;
        const unsigned m = least_after(s, z, p, q, given);
        none += m == 0;
        one += m == 1;
        odd += m & 1;
        least = m < least ? m : least;
      }
      s_.third[i] = static_cast<Bits>(none | one << 4 | odd << 8 | least << 12);
    });
  }

  QUARTO_DEVICE void stem() {
    namespace at = pairs_entry;
    threads_.each(n_ * n_, [&](int i) {
      const int row = i / n_, phase = placing_ ? kCounts : 0;
      float sum[W] = {};
      add<W>(weight(at::kEmpty) + (phase + n_) * W, sum);
      add<W>(weight(at::kSafe) + (phase + safe_) * W, sum);
      if (row == hand_) add<W>(weight(at::kHand), sum);
      if (loses(row)) add<W>(weight(at::kLoses), sum);
      add<W>(weight(at::kPair) + s_.category[i] * W, sum);
      if constexpr (PLACEMENTS > 1) {
        if (n_ <= kMostReplySquares) add_replies(i, sum);
      }
      if constexpr (PLACEMENTS > 2) {
        if (n_ <= kMostThirdSquares) add_third(i, sum);
      }
      QUARTO_UNROLL for (int j = 0; j < W; ++j) h(j, i) = sum[j];
    });
  }
  QUARTO_DEVICE void add_replies(int pair, float* sum) {
    const int first = pairs_entry::replies(net_.blocks, 0);
    const auto row = [&](int table, unsigned at) { add<W>(weight(first + table) + static_cast<int>(at) * W, sum); };
    if (!s_.given[pair]) return;
    unsigned least = kReplyCounts - 1, none = 0;
    for (unsigned rest = s_.given[pair]; rest; rest &= rest - 1) {
      const unsigned x = s_.reply[pair * kAllPieces + lowest(rest)], safe = x & 15;
      row(pairs_entry::kReplySafe, safe);
      row(pairs_entry::kReplyOdd, x >> 4 & 15);
      row(pairs_entry::kReplyOne, x >> 8);
      least = safe < least ? safe : least;
      none += safe == 0;
    }
    row(pairs_entry::kReplyLeast, least);
    row(pairs_entry::kReplyNone, none);
  }
  QUARTO_DEVICE void add_third(int pair, float* sum) {
    const int first = pairs_entry::third(net_.blocks, 0);
    const auto row = [&](int table, unsigned at) { add<W>(weight(first + table) + static_cast<int>(at) * W, sum); };
    for (unsigned rest = given_third(pair); rest; rest &= rest - 1) {
      const unsigned x = s_.third[pair * n_ + rank(left_, lowest(rest))];
      row(pairs_entry::kThirdNone, x & 15);
      row(pairs_entry::kThirdOne, x >> 4 & 15);
      row(pairs_entry::kThirdOdd, x >> 8 & 15);
      row(pairs_entry::kThirdLeast, x >> 12);
    }
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

  // Fills `item` with the message of each line and value, and to_square.
  QUARTO_DEVICE void messages(int b) {
    namespace at = pairs_entry;
    threads_.each(net_.lines * W, [&](int i) {
      float sum = 0;
      for (unsigned rest = s_.gaps[i / W]; rest; rest &= rest - 1)
        sum += s_.column_pool[lowest(rest) * 3 * W + W + i % W];
      s_.line[i] = sum;
    });
    threads_.each(net_.lines * W, [&](int i) {
      s_.per_line[i] = product<W, W>(s_.line + i / W * W, weight(at::block(b, at::kLineSquares)), i % W);
    });
    threads_.each(items_ * W, [&](int i) {
      const int k = i / W, channel = i % W;
      const unsigned value = s_.item_value[k];
      float sum = 0;
      for (int row = 0; row < n_; ++row) {
        if (!(own(s_.pieces[row]) >> value & 1)) continue;
        for (unsigned rest = s_.gaps[s_.item_line[k]]; rest; rest &= rest - 1)
          sum += positive(h(channel, row * n_ + lowest(rest)));
      }
      item(channel, k) = sum * kLineScale;
    });
    threads_.each(items_, [&](int k) {
      const int line = s_.item_line[k], state = 4 - count_of(s_.gaps[line]);
      float sum[W] = {};
      add<W>(weight(at::block(b, at::kLineState)) + state * W, sum);
      QUARTO_UNROLL for (int j = 0; j < W; ++j) sum[j] += s_.per_line[line * W + j];
      multiply_add<W>(&item(0, k), Memory::kItemStride, weight(at::block(b, at::kLineAttributeValue)), sum);
      QUARTO_UNROLL for (int j = 0; j < W; ++j) item(j, k) = positive(sum[j]);
    });
    threads_.each(net_.lines * W, [&](int i) {
      const int line = i / W;
      float sum = 0;
      for (int k = s_.first_item[line]; k < s_.first_item[line + 1]; ++k) sum += item(i % W, k);
      s_.line[i] = sum;
    });
    threads_.each(n_ * W, [&](int i) {
      float sum = 0;
      for (int l = 0; l < net_.lines; ++l) {
        if (s_.gaps[l] >> (i / W) & 1) sum += s_.line[l * W + i % W];
      }
      s_.to_square[i] = sum * kToSquareScale;
    });
    // From here on `item` is what the messages tell the pairs.
    threads_.each(items_, [&](int k) {
      float sum[W] = {};
      multiply_add<W>(&item(0, k), Memory::kItemStride, weight(at::block(b, at::kLineToPair)), sum);
      QUARTO_UNROLL for (int j = 0; j < W; ++j) item(j, k) = sum[j];
    });
  }

  // h += out(relu(self + rows + columns + all + lines))
  QUARTO_DEVICE void block(int b) {
    namespace at = pairs_entry;
    const auto e = [&](int entry) { return weight(at::block(b, entry)); };
    pool();
    messages(b);
    threads_.each(W, [&](int j) { s_.all[j] = e(at::kBias)[j] + product<2 * W, W>(s_.all_pool, e(at::kAll), j); });
    threads_.each(n_ * W, [&](int i) {
      const int k = i / W, j = i % W;
      s_.row[k * Memory::kVector + j] = s_.all[j] + product<2 * W, W>(s_.row_pool + k * 2 * W, e(at::kRows), j);
      s_.column[k * Memory::kVector + j] = product<3 * W, W>(s_.column_pool + k * 3 * W, e(at::kColumns), j) +
                                           product<W, W>(s_.to_square + k * W, e(at::kLineToSquare), j);
    });
    threads_.each(n_ * n_, [&](int i) {
      const int row = i / n_, c = i % n_;
      float inner[W] = {};
      for (int l = 0; l < net_.lines; ++l) {
        if (!(s_.gaps[l] >> c & 1)) continue;
        for (unsigned rest = s_.values[l] & own(s_.pieces[row]); rest; rest &= rest - 1) {
          const int k = s_.first_item[l] + rank(s_.values[l], lowest(rest));
          QUARTO_UNROLL for (int j = 0; j < W; ++j) inner[j] += item(j, k);
        }
      }
      QUARTO_UNROLL for (int j = 0; j < W; ++j) {
        inner[j] = inner[j] * kToPairScale + s_.row[row * Memory::kVector + j] + s_.column[c * Memory::kVector + j];
      }
      float out[W];
      QUARTO_UNROLL for (int j = 0; j < W; ++j) {
        out[j] = h(j, i);
        h(j, i) = positive(out[j]);
      }
      multiply_add<W>(&h(0, i), Memory::kPairStride, e(at::kSelf), inner);
      QUARTO_UNROLL for (int j = 0; j < W; ++j) h(j, i) = positive(inner[j]);
      add<W>(e(at::kOutBias), out);
      multiply_add<W>(&h(0, i), Memory::kPairStride, e(at::kOut), out);
      QUARTO_UNROLL for (int j = 0; j < W; ++j) h(j, i) = out[j];
    });
  }

  QUARTO_DEVICE void heads(float* logits) {
    namespace at = pairs_entry;
    constexpr int kH = kHeadWidth;
    const auto e = [&](int entry) { return weight(at::head(net_.blocks, entry)); };
    pool();
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

  const Network& net_;
  Memory& s_;
  THREADS& threads_;
  // Of the board; every thread has its own copy.
  unsigned empty_ = 0, left_ = 0, available_ = 0, anywhere_ = 0;
  int n_ = 0, hand_ = -1, safe_ = 0, items_ = 0;
  bool placing_ = false;
};

// What a block does: the boards first, first + step, ... below count that have FEWEST to N empty squares. Row i of
// `logits` is that of board i.
template <int W, int N, int FEWEST, int LINES, int PLACEMENTS, class THREADS>
QUARTO_DEVICE void forward(const Network& network, Shared<W, N, LINES>& shared, THREADS& threads, const Board* boards,
                           int count, int first, int step, float* logits) {
  Forward<W, N, LINES, PLACEMENTS, THREADS> pass(network, shared, threads);
  for (int i = first; i < count; i += step) {
    const Board board = boards[i];
    const int empty = kAllPieces - count_of(board.occupied);
    if (empty >= FEWEST && empty <= N) pass.run(board, logits + i * kLogits);
  }
}

}  // namespace quarto::gpu
