// The answers of solver/prover.h, one question for each thread of a GPU: bit masks, a stack of fixed size, no table. The
// same boards in the same order, so that answers and numbers of nodes are equal, whoever proves. Part of the kernels of
// prove.cu, under the conditions of pairs_position.h: plain C++ without a library.
#pragma once

#include "gpu/pairs_look.h"

namespace quarto::gpu {

// Values are 0 loss, 1 draw, 2 win, for the player to act.
struct ProofQuestion {
  Board board;
  unsigned nodes;  // for each of the two questions of Prover::bounds()
  Byte low, high;  // what is known
};
struct ProofAnswer {
  unsigned nodes;  // that it took
  Byte low, high;
};

template <bool MANY>
struct LinesOf {
  using Set = unsigned;
};
template <>
struct LinesOf<false> {
  using Set = unsigned short;  // half of the memory
};

// What the threads of a block share.
template <int LINES>
struct ProofTables {
  using Lines = typename LinesOf<(LINES > 16)>::Set;

  Lines through[kAllPieces];  // by square
  Bits losing[256];           // by set of attribute values: the pieces with any of them

  template <class BLOCK>
  QUARTO_DEVICE void fill(const Network& network, BLOCK& block) {
    block.each(kAllPieces + 256, [&](int i) {
      if (i < kAllPieces) {
        unsigned lines = 0;
        for (int l = 0; l < LINES; ++l) lines |= (network.line[l] >> i & 1U) << l;
        through[i] = static_cast<Lines>(lines);
      } else {
        unsigned pieces = 0;
        for (unsigned p = 0; p < kAllPieces; ++p)
          pieces |= ((own(p) & static_cast<unsigned>(i - kAllPieces)) ? 1U : 0U) << p;
        losing[i - kAllPieces] = static_cast<Bits>(pieces);
      }
    });
  }
};

template <int LINES>
class Proof {
 public:
  using Tables = ProofTables<LINES>;

  QUARTO_DEVICE Proof(const Tables& tables, const Network& network) : tables_(tables), network_(network) {}

  QUARTO_DEVICE ProofAnswer answer(const ProofQuestion& question) {
    ProofAnswer found{0, question.low, question.high};
    if (found.low == found.high) return found;
    if (found.low == kLoss) {
      const int holds = reaches(question, true, found.nodes);
      if (holds == kExhausted) return found;
      if (!holds) return {found.nodes, kLoss, kLoss};
      found.low = kDraw;
    }
    if (found.high == kWin) {
      const int wins = reaches(question, false, found.nodes);
      if (wins != kExhausted) found.low = found.high = wins ? kWin : kDraw;
    }
    return found;
  }

 private:
  using Lines = typename Tables::Lines;
  static constexpr Byte kLoss = 0, kDraw = 1, kWin = 2;
  static constexpr int kExhausted = -1;
  // From so many empty squares on squares and pieces are ordered, as in solver/endgame.h.
  static constexpr int kSquaresOrderedFrom = 5, kPiecesOrderedFrom = 7;

  // A board at which a piece is given.
  struct Level {
    Lines alive[kValues];  // by attribute value: the lines whose pieces all have it
    Lines gaps[4];         // the lines with one to four empty squares
    Bits empty, left;
    // Still to be tried, four bits each, the next one lowest.
    unsigned long long pieces, squares;
    Byte piece_count, square_count, piece;
  };

  // What follows from the number of empty squares alone, if the giver has a safe piece: a draw.
  QUARTO_DEVICE static bool known_by_count(int empty, bool draw) { return empty <= (draw ? 2 : 1); }

  // The pieces that complete a line at once.
  QUARTO_DEVICE unsigned losing(const Level& at) const {
    unsigned threats = 0;
    for (int v = 0; v < kValues; ++v) threats |= ((at.alive[v] & at.gaps[0]) ? 1U : 0U) << v;
    return tables_.losing[threats];
  }

  // What is safe to give after a piece with these values, which completes no line, was placed on a square.
  QUARTO_DEVICE unsigned safe_after(const Level& at, unsigned piece, unsigned values, int square) const {
    const unsigned through = tables_.through[square];
    const unsigned others = at.gaps[0] & ~through, all = others | (at.gaps[1] & through);
    unsigned threats = 0;
    for (int v = 0; v < kValues; ++v) threats |= ((at.alive[v] & (values >> v & 1U ? all : others)) ? 1U : 0U) << v;
    return at.left & ~(1U << piece) & ~tables_.losing[threats];
  }

  QUARTO_DEVICE void place(const Level& before, unsigned values, int square, Level& after) const {
    const unsigned through = tables_.through[square];
    for (int v = 0; v < kValues; ++v)
      after.alive[v] = static_cast<Lines>(before.alive[v] & (values >> v & 1U ? ~0U : ~through));
    for (int g = 0; g < 3; ++g)
      after.gaps[g] = static_cast<Lines>((before.gaps[g] & ~through) | (before.gaps[g + 1] & through));
    after.gaps[3] = static_cast<Lines>(before.gaps[3] & ~through);
    after.empty = static_cast<Bits>(before.empty & ~(1U << square));
    after.left = static_cast<Bits>(before.left & ~(1U << before.piece));
  }

  // Numbers below 16 as a list, smallest key first, equal keys in order of number.
  struct Order {
    unsigned short entry[kAllPieces];
    int count;
    QUARTO_DEVICE void insert(int key, int number) {
      const auto added = static_cast<unsigned short>(key << 4 | number);
      int i = count++;
      for (; i > 0 && entry[i - 1] > added; --i) entry[i] = entry[i - 1];
      entry[i] = added;
    }
    QUARTO_DEVICE unsigned long long list() const {
      unsigned long long all = 0;
      for (int i = count; i-- > 0;) all = all << 4 | (entry[i] & 15U);
      return all;
    }
  };

  QUARTO_DEVICE void order_squares(Level& at) {
    const unsigned values = own(at.piece);
    const bool ordered = count_of(at.empty) >= kSquaresOrderedFrom;
    order_.count = 0;
    for (unsigned rest = at.empty; rest != 0; rest &= rest - 1) {
      const int square = lowest(rest);
      const unsigned safe = safe_after(at, at.piece, values, square);
      if (safe != 0) order_.insert(ordered ? count_of(safe) : 0, square);
    }
    at.squares = order_.list();
    at.square_count = byte(static_cast<unsigned>(order_.count));
  }

  QUARTO_DEVICE void order_pieces(Level& at, unsigned safe) {
    const bool ordered = count_of(at.empty) >= kPiecesOrderedFrom;
    order_.count = 0;
    for (; safe != 0; safe &= safe - 1) {
      const int piece = lowest(safe);
      int squares = 0;
      if (ordered) {
        const unsigned values = own(static_cast<unsigned>(piece));
        for (unsigned rest = at.empty; rest != 0; rest &= rest - 1)
          squares += safe_after(at, static_cast<unsigned>(piece), values, lowest(rest)) != 0;
      }
      order_.insert(squares, piece);
    }
    at.pieces = order_.list();
    at.piece_count = byte(static_cast<unsigned>(order_.count));
  }

  QUARTO_DEVICE void begin(const Board& board, Level& at) const {
    unsigned left = 0xFFFFU, alive[kValues] = {}, gaps[4] = {};
    at.empty = static_cast<Bits>(~board.occupied);
    for (int s = 0; s < kAllPieces; ++s) {
      unsigned piece = 0;
      for (int a = 0; a < 4; ++a) piece |= (board.attribute[a] >> s & 1U) << a;
      if (board.occupied >> s & 1U) left &= ~(1U << piece);
    }
    if (board.hand != kNoPiece) left &= ~(1U << board.hand);
    for (int l = 0; l < LINES; ++l) {
      const unsigned on = network_.line[l] & board.occupied;
      const int empty = 4 - count_of(on);
      for (int a = 0; a < 4; ++a) {
        const unsigned with = board.attribute[a] & on;
        if (with == 0) alive[2 * a] |= 1U << l;
        if (with == on) alive[2 * a + 1] |= 1U << l;
      }
      if (empty > 0) gaps[empty - 1] |= 1U << l;
    }
    for (int v = 0; v < kValues; ++v) at.alive[v] = static_cast<Lines>(alive[v]);
    for (int g = 0; g < 4; ++g) at.gaps[g] = static_cast<Lines>(gaps[g]);
    at.left = static_cast<Bits>(left);
  }

  enum class Next { enter, piece, square, back };

  // Whether the player to act gets a draw, or a win: 1 or 0, or kExhausted.
  QUARTO_DEVICE int reaches(const ProofQuestion& question, bool draw, unsigned& nodes) {
    Level& root = level_[0];
    begin(question.board, root);
    const bool placing = question.board.hand != kNoPiece;
    const unsigned lost = losing(root);
    if (placing && (lost >> question.board.hand & 1U)) return 1;
    unsigned alive = 0;
    for (int v = 0; v < kValues; ++v) alive |= root.alive[v];
    if (root.left == 0 || alive == 0) return draw;
    if (placing) {
      root.pieces = question.board.hand;
      root.piece_count = 1;
      const int found = search(!draw, Next::piece, question.nodes, nodes);
      return found == kExhausted ? found : !found;
    }
    return (root.left & ~lost) == 0 ? 0 : search(draw, Next::enter, question.nodes, nodes);
  }

  // Whether the giver of level 0 reaches the goal. From there on it begins with `next`. The giver of a level has placed on
  // the level before, so the goal changes from level to level.
  QUARTO_DEVICE int search(bool draw, Next next, unsigned limit, unsigned& used) {
    int depth = 0;
    unsigned nodes = 0;
    bool reached = false;  // by the giver of the level, when `next` is back
    while (true) {
      Level& at = level_[depth];
      const int empty = count_of(at.empty);
      if (next == Next::enter) {
        if (nodes == limit) {
          used += nodes;
          return kExhausted;
        }
        ++nodes;
        reached = draw;
        next = Next::back;
        if (!known_by_count(empty, draw)) {
          order_pieces(at, at.left & ~losing(at));
          next = Next::piece;
        }
      } else if (next == Next::piece) {
        reached = false;
        next = Next::back;
        if (at.piece_count > 0) {
          at.piece = byte(static_cast<unsigned>(at.pieces & 15U));
          at.pieces >>= 4;
          --at.piece_count;
          order_squares(at);
          next = Next::square;
          if (known_by_count(empty - 1, !draw)) {
            const bool placer_reaches = !draw && at.square_count > 0;
            reached = !placer_reaches;
            next = placer_reaches ? Next::piece : Next::back;
          }
        }
      } else if (next == Next::square) {
        reached = true;
        next = Next::back;
        if (at.square_count > 0) {
          const int square = static_cast<int>(at.squares & 15U);
          at.squares >>= 4;
          --at.square_count;
          place(at, own(at.piece), square, level_[++depth]);
          draw = !draw;
          next = Next::enter;
        }
      } else {
        if (depth == 0) {
          used += nodes;
          return reached;
        }
        --depth;
        draw = !draw;
        next = reached ? Next::piece : Next::square;
      }
    }
  }

  const Tables& tables_;
  const Network& network_;
  Level level_[kAllPieces + 1];
  Order order_;
};

}  // namespace quarto::gpu
