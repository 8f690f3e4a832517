// What the pairs network sees of a position (docs/networks.md): rows, columns and their pairs, the lines with the
// attribute values that they are alive for, and the counts of light/pairs_input.h, light/replies.h,
// light/third_placement.h and light/fourth_placement.h. Part of pairs_position.h, under the same
// conditions.
#pragma once

#include "light/pairs_constants.h"

#if defined(__CUDACC__)
#define QUARTO_DEVICE __device__
#else
#define QUARTO_DEVICE inline
#endif

namespace quarto::gpu {

namespace pairs_entry = light::pairs_entry;
using light::kFewestFourthSquares, light::kFourthCounts, light::kMostBlocks, light::kMostFourthSquares,
    light::kMostReplySquares, light::kMostThirdSquares, light::kReplyCounts, light::kThirdCounts, light::kWins;

using Byte = unsigned char;
using Bits = unsigned short;  // sets of squares, of pieces, of columns

inline constexpr int kNoPiece = 16, kAllPieces = 16, kValues = 8, kMostLines = 28;
inline constexpr int kMostEntries = pairs_entry::table(kMostBlocks, light::kTables);

// A position, not terminal.
struct Board {
  Bits attribute[4];  // the squares whose piece has the attribute
  Bits occupied;
  Bits hand;  // 0..15, or kNoPiece
};

struct Network {
  const float* weights;  // in PairsLayout's order; aligned to 16 bytes
  int blocks;
  int lines;                 // as many as the rules have
  Bits line[kMostLines];     // the squares of each
  int offset[kMostEntries];  // of PairsLayout's entries, in floats
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
QUARTO_DEVICE int rank(unsigned set, int element) { return count_of(set & ((1U << element) - 1)); }
QUARTO_DEVICE Byte byte(unsigned x) { return static_cast<Byte>(x); }

// The attribute values of a piece, as a set: 2a + 1 if it has attribute a, else 2a.
QUARTO_DEVICE unsigned own(unsigned piece) {
  const unsigned apart = (piece & 1) | (piece & 2) << 1 | (piece & 4) << 2 | (piece & 8) << 3;
  return (0x55U & ~apart) | apart << 1;
}

constexpr int least_of(int a, int b) { return a < b ? a : b; }

// What the threads share of it. N: the most empty squares; LINES: the rules' lines.
template <int N, int LINES>
struct Seen {
  static constexpr int kPairs = N * N;
  static constexpr int kItems = LINES * kValues;  // a line and a value

  Bits without[256];  // by set of attribute values: the pieces that have none of them
  Bits given[kPairs];
  Bits gaps[LINES];    // columns; empty: the line is full
  Byte values[LINES];  // for which it is alive
  Byte first_item[LINES + 1];
  Byte item_line[kItems], item_value[kItems];
  Byte pieces[N], squares[N];  // by row, by column
  Byte category[kPairs];
  Byte completes[N], prepares[N], elsewhere[N];  // by column
};
// The counts of several placements, from look() to each_row(): the memory may serve others after that.
template <int N>
struct SeenCounts {
  static constexpr int kReplies = least_of(N, kMostReplySquares), kThird = least_of(N, kMostThirdSquares);
  Bits reply[kReplies * kReplies * kAllPieces];  // by pair and q: bits 0..3 safe, 4..7 odd, 8..11 one
  // By pair and the row of q: bits 0..2 none, 3..5 one, 6..8 odd, 9..11 least, 12..14 the answers that hold.
  Bits third[kThird * kThird * kThird];
  Byte else_two[N * N], rest_two[N * N], three[N * N];  // by columns s, z
};

// Looks at a position. THREADS has each(count, f): f(i) for all i below count, in any order and by any thread, and a
// wait for all of them.
template <int N, int LINES, class THREADS>
class Look {
 protected:
  QUARTO_DEVICE Look(const Network& network, Seen<N, LINES>& seen, SeenCounts<N>& counts, THREADS& threads)
      : net_(network), seen_(seen), counts_(counts), threads_(threads) {
    threads_.each(256, [&](int values) {
      unsigned left = 0;
      for (unsigned p = 0; p < kAllPieces; ++p) {
        if (!(own(p) & static_cast<unsigned>(values))) left |= 1U << p;
      }
      seen_.without[values] = static_cast<Bits>(left);
    });
  }

  // The board must have 1 to N empty squares.
  QUARTO_DEVICE void look(const Board& board) {
    begin(board);
    lines(board);
    pairs();
    if (n_ <= kMostReplySquares) replies();
    if (n_ <= kMostThirdSquares) third();
    if (has_fourth()) fourth();
  }

  QUARTO_DEVICE bool loses(int row) const { return (own(seen_.pieces[row]) & anywhere_) != 0; }

  QUARTO_DEVICE bool has_fourth() const { return n_ >= kFewestFourthSquares && n_ <= kMostFourthSquares; }

  // The pieces q of a pair, as in light/third_placement.h and light/fourth_placement.h.
  QUARTO_DEVICE unsigned given_third(int pair) const {
    const int row = pair / n_;
    const bool counted = placing_ ? row == hand_ : !loses(row);
    return counted ? seen_.given[pair] : 0;
  }

  // Calls row(table, index) for every row that a pair adds; tables as in light/input_rows.h.
  template <class F>
  QUARTO_DEVICE void each_row(int pair, const F& row) const {
    const int piece = pair / n_, phase = placing_ ? light::kCounts : 0;
    row(light::kEmpty, phase + n_);
    row(light::kSafe, phase + safe_);
    if (piece == hand_) row(light::kHand, 0);
    if (loses(piece)) row(light::kLoses, 0);
    row(light::kPair, seen_.category[pair]);
    if (n_ <= kMostReplySquares) each_reply_row(pair, row);
    if (n_ <= kMostThirdSquares) each_third_row(pair, row);
    if (has_fourth()) each_fourth_row(pair, row);
  }

  const Network& net_;
  Seen<N, LINES>& seen_;
  SeenCounts<N>& counts_;
  THREADS& threads_;
  // Of the board; every thread has its own copy.
  unsigned empty_ = 0, left_ = 0, available_ = 0, anywhere_ = 0;
  int n_ = 0, hand_ = -1, safe_ = 0, items_ = 0;
  bool placing_ = false;

 private:
  template <class F>
  QUARTO_DEVICE void each_reply_row(int pair, const F& row) const {
    if (!seen_.given[pair]) return;
    unsigned least = kReplyCounts - 1, none = 0;
    for (unsigned rest = seen_.given[pair]; rest; rest &= rest - 1) {
      const unsigned x = counts_.reply[pair * kAllPieces + lowest(rest)], safe = x & 15;
      row(light::kReplySafe, safe);
      row(light::kReplyOdd, x >> 4 & 15);
      row(light::kReplyOne, x >> 8);
      least = safe < least ? safe : least;
      none += safe == 0;
    }
    row(light::kReplyLeast, least);
    row(light::kReplyNone, none);
  }
  template <class F>
  QUARTO_DEVICE void each_third_row(int pair, const F& row) const {
    for (unsigned rest = given_third(pair); rest; rest &= rest - 1) {
      const unsigned x = counts_.third[pair * n_ + rank(left_, lowest(rest))];
      row(light::kThirdNone, x & 7);
      row(light::kThirdOne, x >> 3 & 7);
      row(light::kThirdOdd, x >> 6 & 7);
      row(light::kThirdLeast, x >> 9 & 7);
    }
  }
  template <class F>
  QUARTO_DEVICE void each_fourth_row(int pair, const F& row) const {
    const unsigned pieces = given_third(pair);
    if (!pieces) return;
    unsigned least = kFourthCounts - 1, none = 0;
    for (unsigned rest = pieces; rest; rest &= rest - 1) {
      const unsigned holding = counts_.third[pair * n_ + rank(left_, lowest(rest))] >> 12;
      row(light::kFourthHolding, holding);
      least = holding < least ? holding : least;
      none += holding == 0;
    }
    row(light::kFourthLeast, least);
    row(light::kFourthNone, none);
  }

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
      if (left_ >> i & 1) seen_.pieces[rank(left_, i)] = byte(static_cast<unsigned>(i));
      if (empty_ >> i & 1) seen_.squares[rank(empty_, i)] = byte(static_cast<unsigned>(i));
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
      seen_.gaps[l] = static_cast<Bits>(gaps);
      seen_.values[l] = byte(values);
    });
    threads_.each(net_.lines + 1, [&](int l) {
      int at = 0;
      for (int k = 0; k < l; ++k) at += count_of(seen_.values[k]);
      seen_.first_item[l] = byte(static_cast<unsigned>(at));
      if (l == net_.lines) return;
      for (unsigned rest = seen_.values[l]; rest; rest &= rest - 1) {
        seen_.item_line[at] = byte(static_cast<unsigned>(l));
        seen_.item_value[at++] = byte(static_cast<unsigned>(lowest(rest)));
      }
    });
    items_ = seen_.first_item[net_.lines];
    anywhere_ = 0;
    for (int l = 0; l < net_.lines; ++l) {
      if (count_of(seen_.gaps[l]) == 1) anywhere_ |= seen_.values[l];
    }
    safe_ = count_of(available_ & seen_.without[anywhere_]);
    threads_.each(n_, [&](int c) {
      unsigned completes = 0, prepares = 0, elsewhere = 0;
      for (int l = 0; l < net_.lines; ++l) {
        const int gaps = count_of(seen_.gaps[l]);
        const bool here = seen_.gaps[l] >> c & 1;
        if (gaps == 1) (here ? completes : elsewhere) |= seen_.values[l];
        if (gaps == 2 && here) prepares |= seen_.values[l];
      }
      seen_.completes[c] = byte(completes);
      seen_.prepares[c] = byte(prepares);
      seen_.elsewhere[c] = byte(elsewhere);
    });
  }

  // Categories, as in PairsInput.
  QUARTO_DEVICE void pairs() {
    threads_.each(n_ * n_, [&](int i) {
      const unsigned piece = seen_.pieces[i / n_], mine = own(piece);
      const int c = i % n_;
      const bool wins = (mine & seen_.completes[c]) != 0;
      const unsigned safe = left_ & ~(1U << piece) & seen_.without[seen_.elsewhere[c] | (seen_.prepares[c] & mine)];
      seen_.category[i] = wins ? byte(kWins) : byte(static_cast<unsigned>(count_of(safe)));
      seen_.given[i] = wins ? Bits{0} : static_cast<Bits>(safe);
    });
  }

  // Replies: N(p, s, q, z) as in light/replies.h, one thread for each pair (p, s) and q.
  QUARTO_DEVICE unsigned safe_after(int s, int z, unsigned p, unsigned q) const {
    const unsigned danger = counts_.else_two[s * n_ + z] | (counts_.rest_two[s * n_ + z] & own(p)) |
                            (counts_.rest_two[z * n_ + s] & own(q)) | (counts_.three[s * n_ + z] & own(p) & own(q));
    return left_ & ~(1U << p) & ~(1U << q) & seen_.without[danger];
  }
  QUARTO_DEVICE void replies() {
    threads_.each(n_ * n_, [&](int i) {
      const int s = i / n_, z = i % n_;
      unsigned elsewhere = 0, rest = 0, three = 0;
      for (int l = 0; l < net_.lines; ++l) {
        const unsigned gaps = seen_.gaps[l];
        const int count = count_of(gaps);
        const bool at_s = gaps >> s & 1, at_z = gaps >> z & 1;
        if (count == 1 && !at_s && !at_z) elsewhere |= seen_.values[l];
        if (count == 2 && at_s && !at_z) rest |= seen_.values[l];
        if (count == 3 && at_s && at_z) three |= seen_.values[l];
      }
      counts_.else_two[i] = byte(elsewhere);
      counts_.rest_two[i] = byte(rest);
      counts_.three[i] = byte(three);
    });
    threads_.each(n_ * n_ * n_, [&](int i) {
      const int pair = i / n_, s = pair % n_;
      const unsigned p = seen_.pieces[pair / n_], q = seen_.pieces[i % n_];
      if (!(seen_.given[pair] >> q & 1)) return;
      unsigned safe = 0, odd = 0, one = 0;
      for (int z = 0; z < n_; ++z) {
        if (z == s) continue;
        const int count = count_of(safe_after(s, z, p, q));
        safe += count > 0;
        odd += static_cast<unsigned>(count & 1);
        one += count == 1;
      }
      counts_.reply[pair * kAllPieces + static_cast<int>(q)] = static_cast<Bits>(safe | odd << 4 | one << 8);
    });
  }

  // The values that complete a line on each column after p is on s, q on z and, with a third column, r on it; and those
  // that do after another placement on the column. A column has eight bits of a word.
  struct Completing {
    unsigned long long now = 0, then = 0;
  };
  QUARTO_DEVICE Completing completing(int s, unsigned p, int z, unsigned q, int w = -1, unsigned r = 0) const {
    Completing words;
    const unsigned placed = 1U << s | 1U << z | (w < 0 ? 0U : 1U << w);
    for (int l = 0; l < net_.lines; ++l) {
      unsigned gaps = seen_.gaps[l], values = seen_.values[l];
      if (gaps >> s & 1) values &= own(p);
      if (gaps >> z & 1) values &= own(q);
      if (w >= 0 && (gaps >> w & 1)) values &= own(r);
      gaps &= ~placed;
      const int count = count_of(gaps);
      if (count != 1 && count != 2) continue;
      const unsigned long long here = static_cast<unsigned long long>(values) << (8 * lowest(gaps));
      if (count == 1) {
        words.now |= here;
      } else {
        words.then |= here | static_cast<unsigned long long>(values) << (8 * lowest(gaps & (gaps - 1)));
      }
    }
    return words;
  }
  QUARTO_DEVICE static unsigned any_column(unsigned long long x) {
    x |= x >> 32;
    x |= x >> 16;
    x |= x >> 8;
    return static_cast<unsigned>(x & 0xFF);
  }
  // The values that complete a line after t is placed on x.
  QUARTO_DEVICE static unsigned danger_after(const Completing& words, int x, unsigned t) {
    return any_column(words.now & ~(0xFFULL << (8 * x))) |
           (static_cast<unsigned>(words.then >> (8 * x)) & 0xFF & own(t));
  }

  // The least number, over the pieces r of `given`, of columns on which r leaves something safe, after p is on s and q
  // on z.
  QUARTO_DEVICE unsigned least_after(int s, int z, unsigned p, unsigned q, unsigned given) const {
    const Completing words = completing(s, p, z, q);
    const unsigned others = left_ & ~(1U << p) & ~(1U << q);
    unsigned least = kReplyCounts - 1;
    for (unsigned rest = given; rest; rest &= rest - 1) {
      const unsigned r = static_cast<unsigned>(lowest(rest));
      unsigned count = 0;
      for (int w = 0; w < n_; ++w) {
        if (w == s || w == z) continue;
        count += (others & ~(1U << r) & seen_.without[danger_after(words, w, r)]) != 0;
      }
      least = count < least ? count : least;
    }
    return least;
  }

  QUARTO_DEVICE void third() {
    threads_.each(n_ * n_ * n_, [&](int i) {
      const int pair = i / n_, s = pair % n_;
      const unsigned p = seen_.pieces[pair / n_], q = seen_.pieces[i % n_];
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
      counts_.third[i] = static_cast<Bits>(none | one << 3 | odd << 6 | least << 9);
    });
  }

  // Whether the player wins with r on w, after p is on s and q on z.
  QUARTO_DEVICE bool wins_on(int s, unsigned p, int z, unsigned q, int w, unsigned r) const {
    const Completing words = completing(s, p, z, q, w, r);
    const unsigned others = left_ & ~(1U << p | 1U << q | 1U << r);
    for (unsigned rest = others & seen_.without[any_column(words.now)]; rest; rest &= rest - 1) {
      const unsigned t = static_cast<unsigned>(lowest(rest));
      bool wins = true;
      for (int x = 0; x < n_ && wins; ++x) {
        if (x == s || x == z || x == w) continue;
        wins = !(others & ~(1U << t) & seen_.without[danger_after(words, x, t)]);
      }
      if (wins) return true;
    }
    return false;
  }

  // Whether the answer q on z to p on s holds.
  QUARTO_DEVICE bool holds(int s, unsigned p, int z, unsigned q) const {
    for (unsigned rest = safe_after(s, z, p, q); rest; rest &= rest - 1) {
      const unsigned r = static_cast<unsigned>(lowest(rest));
      bool lost = false;
      for (int w = 0; w < n_ && !lost; ++w) lost = w != s && w != z && wins_on(s, p, z, q, w, r);
      if (!lost) return true;
    }
    return false;
  }

  // As in light/fourth_placement.h, one thread for each pair (p, s) and q.
  QUARTO_DEVICE void fourth() {
    threads_.each(n_ * n_ * n_, [&](int i) {
      const int pair = i / n_, s = pair % n_;
      const unsigned p = seen_.pieces[pair / n_], q = seen_.pieces[i % n_];
      if (!(given_third(pair) >> q & 1)) return;
      unsigned holding = 0;
      for (int z = 0; z < n_; ++z) holding += z != s && holds(s, p, z, q);
      counts_.third[i] = static_cast<Bits>(counts_.third[i] | holding << 12);
    });
  }
};

}  // namespace quarto::gpu
