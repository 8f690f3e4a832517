// Exact values of Quarto positions by exhaustive search, for the walk checker. Shares no code with the project.
//
// One question at a time: can one side, the attacker, force a win? The other side, the defender, wants a draw or more.
// What lies on a square matters only through the lines: for each value of an attribute, the lines that can still be
// completed with it ("open"). The search is short because no piece is given that completes a line at once, a board
// without open lines is a draw, small subtrees come first, and boards with few pieces are remembered for all their
// images. A question with 10, 11, 12 empty squares takes about 5, 40, 350 ms of one core (2026).
#pragma once
#include "quarto.h"

namespace check {

class Solver {
 public:
  explicit Solver(const Rules& rules, std::size_t remembered = 1 << 21)
      : rules_(rules), table_(remembered, Entry{kNothing, false, false}) {
    const auto& lines = rules.lines();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (int s = 0; s < 16; ++s) through_[s] |= static_cast<Lines>(lines[i] >> s & 1) << i;
      for (unsigned occupied = 0; occupied < 65536; ++occupied) {
        const int lacking = 4 - std::popcount(occupied & lines[i]);
        if (lacking > 0) not_full_[occupied] |= 1u << i;
        if (lacking == 1) lacking_one_[occupied] |= 1u << i;
      }
    }
    for (unsigned threats = 0; threats < 256; ++threats)
      for (int v = 0; v < 8; ++v)
        if (threats >> v & 1) completing_[threats] |= kPiecesWith[v];
  }

  /// Can the side to act force a win? The position must not be over, here and below.
  bool wins(const Position& p) { return placing(p) ? place<true>(board_of(p), p.hand) : give<true>(board_of(p)); }
  /// Can the other side force a win?
  bool loses(const Position& p) { return placing(p) ? place<false>(board_of(p), p.hand) : give<false>(board_of(p)); }
  /// The value for the side to act: 1, 0 or -1.
  int value(const Position& p) { return wins(p) ? 1 : loses(p) ? -1 : 0; }

 private:
  using Lines = std::uint32_t;  // a set of lines: bit = index in Rules::lines()
  using Pieces = std::uint16_t;

  struct Board {
    Squares occupied;
    std::array<Squares, 4> having;
    Pieces left;                // what can be given
    std::array<Lines, 8> open;  // for each value: its lines that are not full and hold no piece with the other value
  };

  // Value v = 2 * attribute + bit: the pieces that have it.
  static constexpr std::array<Pieces, 8> kPiecesWith{0x5555, 0xAAAA, 0x3333, 0xCCCC, 0x0F0F, 0xF0F0, 0x00FF, 0xFF00};
  // With so many pieces down, an attacker that does not complete a line with the piece in hand places no more. So a
  // defender that can give a safe piece holds.
  static constexpr int kLastChance = 14;
  // Boards with at most this many pieces are remembered; with more they are solved again as fast.
  static constexpr int kRemembered = 8;

  static constexpr Position kNothing{0, {1, 1, 1, 1}, 0};  // no position
  struct Entry {
    Position image;
    bool attacking, answer;
  };

  Board placed(const Board& board, int piece, int square) const {
    Board next = board;
    next.occupied |= static_cast<Squares>(1u << square);
    next.left &= static_cast<Pieces>(~(1u << piece));
    for (int a = 0; a < 4; ++a) {
      const int bit = piece >> a & 1;
      next.having[a] |= static_cast<Squares>(bit << square);
      next.open[2 * a + 1 - bit] &= ~through_[square];
    }
    return next;
  }

  Board board_of(const Position& p) const {
    Board board{};
    board.open.fill((Lines{1} << rules_.lines().size()) - 1);
    for (int s = 0; s < 16; ++s)
      if (p.occupied >> s & 1) board = placed(board, piece_on(p, s), s);
    board.left = pieces_left(p);
    return board;
  }

  /// The pieces that complete a line at once.
  Pieces completing(const Board& board) const {
    unsigned threats = 0;
    for (int v = 0; v < 8; ++v) threats |= ((board.open[v] & lacking_one_[board.occupied]) != 0 ? 1u : 0u) << v;
    return completing_[threats];
  }

  /// Does the attacker win, if it (Attacking) or the defender has to give a piece?
  template <bool Attacking>
  bool give(const Board& board) {
    const auto safe = static_cast<Pieces>(board.left & ~completing(board));
    if (safe == 0) return !Attacking;
    if (std::popcount(board.occupied) >= (Attacking ? 15 : kLastChance)) return false;
    Entry* entry = nullptr;
    Position image;
    if (std::popcount(board.occupied) <= kRemembered) {
      image = rules_.least_image({board.occupied, board.having, kNoPiece});
      entry = &table_[(hash_of(image) + Attacking) % table_.size()];
      if (entry->image == image && entry->attacking == Attacking) return entry->answer;
    }
    bool answer = !Attacking;
    for (int piece = 0; piece < 16 && answer != Attacking; ++piece)
      if (safe >> piece & 1) answer = place<!Attacking>(board, piece);
    if (entry) *entry = {image, Attacking, answer};
    return answer;
  }

  /// Does the attacker win, if it (Attacking) or the defender has to place the piece?
  template <bool Attacking>
  bool place(const Board& board, int piece) {
    if (completing(board) >> piece & 1) return Attacking;
    if (Attacking && std::popcount(board.occupied) >= kLastChance) return false;
    struct Child {
      int safe;
      Board board;
    };
    std::array<Child, 16> children;
    int count = 0;
    for (int s = 0; s < 16; ++s) {
      if (board.occupied >> s & 1) continue;
      Board next = placed(board, piece, s);
      Lines any = 0;
      for (int v = 0; v < 8; ++v) any |= next.open[v] &= not_full_[next.occupied];
      if (any == 0 && !Attacking) return false;  // a draw
      const int safe = std::popcount(static_cast<unsigned>(next.left & ~completing(next)));
      if (!Attacking && safe != 0 && std::popcount(next.occupied) >= kLastChance) return false;
      // With no safe piece to give, whoever places here loses.
      if (any != 0 && safe != 0) children[count++] = {safe, next};
    }
    // Few safe pieces first: small subtrees.
    std::sort(children.begin(), children.begin() + count,
              [](const Child& x, const Child& y) { return x.safe < y.safe; });
    for (int i = 0; i < count; ++i)
      if (give<Attacking>(children[i].board) == Attacking) return Attacking;
    return !Attacking;
  }

  const Rules& rules_;
  std::vector<Entry> table_;
  std::array<Lines, 16> through_{};                                                    // the lines through a square
  std::vector<Lines> not_full_ = std::vector<Lines>(65536), lacking_one_ = not_full_;  // by occupied squares
  std::array<Pieces, 256> completing_{};  // by values that complete a line: the pieces with one of them
};

}  // namespace check
