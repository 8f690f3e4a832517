// A Quarto position as bitboards.
//
//     attributes_  64 bits: bitboard i (bits 16i..16i+15) is the set of squares whose piece has attribute i.
//     occupied_    16 bits: the set of squares with a piece. Attribute bits are zero on empty squares.
//     available_   16 bits: the pieces neither on the board nor in hand.
//     hand_        0..15, or kNoHand.
//
// Twenty-four bytes, trivially copyable, comparable. Thread-safe as any value is.
#pragma once

#include <bit>
#include <cassert>

#include "env/lines.h"
#include "env/types.h"
#include "env/zobrist.h"

namespace quarto {

class Position {
 public:
  // The empty board with no piece in hand: the first player gives.
  constexpr explicit Position(Rules rules = Rules::lines)
      : rules_(rules), key_(zobrist::kRulesKey[static_cast<int>(rules)]) {}

  constexpr Rules rules() const { return rules_; }
  constexpr Phase phase() const { return has_hand() ? Phase::place : Phase::give; }
  constexpr bool has_hand() const { return hand_ != kNoHand; }
  constexpr Piece hand() const {
    assert(has_hand());
    return piece(hand_);
  }
  constexpr Mask occupied() const { return occupied_; }
  constexpr Mask empty() const { return static_cast<Mask>(~occupied_); }
  constexpr Mask available() const { return available_; }
  constexpr Bitboards attributes() const { return attributes_; }
  constexpr int pieces_on_board() const { return std::popcount(occupied_); }
  // Gives and places made so far, 0..32.
  constexpr int ply() const { return 2 * pieces_on_board() + (has_hand() ? 1 : 0); }
  // 0 for the player who gave first, 1 for the other. The same player places and then gives.
  constexpr int player_to_act() const { return (pieces_on_board() + (has_hand() ? 1 : 0)) & 1; }

  // The piece on an occupied square.
  constexpr Piece piece_at(Square s) const {
    assert(occupied_ & bit(s));
    const Bitboards b = attributes_ >> index(s);
    return piece(static_cast<int>((b & 1) | ((b >> 15) & 2) | ((b >> 30) & 4) | ((b >> 45) & 8)));
  }

  // The last placement completed a line: whoever placed it, who is still the player to act, has won.
  constexpr bool is_won() const { return won_; }
  // Won, or sixteen pieces down without a winner (a draw).
  constexpr bool is_terminal() const { return won_ || occupied_ == 0xFFFF; }
  // For the player to act; defined for terminal positions only.
  constexpr Value terminal_value() const {
    assert(is_terminal());
    return won_ ? Value::win : Value::draw;
  }

  // Squares when placing, pieces when giving; empty when the game is over.
  constexpr Mask legal_moves() const {
    if (is_terminal()) return 0;
    return has_hand() ? empty() : available_;
  }
  // The same as moves, in order of index.
  constexpr MovesOf moves() const { return {phase(), legal_moves()}; }
  constexpr bool is_legal(Move m) const { return m.phase == phase() && ((legal_moves() >> m.index) & 1U); }

  // The empty squares on which this piece would complete a line.
  constexpr Mask winning_squares(Piece p) const {
    const Bitboards same = (attributes_ ^ ~kSpread[index(p)]) & broadcast(occupied_);
    return static_cast<Mask>(union_of(completing(same, rules_)) & empty());
  }
  // The available pieces that the receiver could win with at once.
  constexpr Mask losing_gives() const {
    return static_cast<Mask>(winning_pieces(attributes_, occupied_, rules_) & available_);
  }
  // The pieces, wherever they are, that would complete a line on some empty square of a board.
  static constexpr Mask winning_pieces(Bitboards attributes, Mask occupied, Rules rules) {
    const Bitboards open = broadcast(static_cast<Mask>(~occupied)), full = broadcast(occupied);
    const Bitboards with = completing(attributes, rules) & open;
    const Bitboards without = completing(~attributes & full, rules) & open;
    Mask winning = 0;
    for (int i = 0; i < kAttributes; ++i) {
      if (bitboard(with, i)) winning |= kHasAttribute[i];
      if (bitboard(without, i)) winning |= static_cast<Mask>(~kHasAttribute[i]);
    }
    return winning;
  }

  // The moves and their undoing. Requirements: the square is empty and a piece is in hand; the piece is available and
  // none is in hand; the square was the last one placed on. They do not ask whether the game is over, so that
  // enumerations may play on past a win; legal_moves() does.
  constexpr void place(Square s);
  constexpr void undo_place(Square s);
  constexpr void give(Piece p);
  constexpr void undo_give();
  constexpr void play(Move m) { m.phase == Phase::place ? place(m.square()) : give(m.piece()); }
  constexpr void undo(Move m) { m.phase == Phase::place ? undo_place(m.square()) : undo_give(); }
  [[nodiscard]] constexpr Position after(Move m) const {
    Position next = *this;
    next.play(m);
    return next;
  }

  // Zobrist key (Zobrist, 1970), kept up to date by the moves. Equal positions have equal keys; symmetric images do
  // not (see canonical.h for a key that is the same for all of them).
  constexpr std::uint64_t key() const { return key_; }

  friend constexpr bool operator==(const Position&, const Position&) = default;

  // Builds a position from its parts, for transformations of whole boards. The caller guarantees that the pieces are
  // distinct; `has_hand == false` ignores `hand`.
  static constexpr Position from_parts(Rules rules, Bitboards attributes, Mask occupied, bool has_hand, Piece hand);

  // The set of pieces that have attribute i.
  static constexpr std::array<Mask, kAttributes> kHasAttribute = {0xAAAA, 0xCCCC, 0xF0F0, 0xFF00};

 private:
  static constexpr std::uint8_t kNoHand = kPieces;

  constexpr bool has_line() const {
    const Bitboards full = broadcast(occupied_), without = ~attributes_ & full;
    return ((completing(attributes_, rules_) & attributes_) | (completing(without, rules_) & without)) != 0;
  }

  Bitboards attributes_ = 0;
  Mask occupied_ = 0;
  Mask available_ = 0xFFFF;
  std::uint8_t hand_ = kNoHand;
  Rules rules_ = Rules::lines;
  bool won_ = false;
  std::uint64_t key_ = 0;
};

constexpr void Position::place(Square s) {
  assert(has_hand() && !(occupied_ & bit(s)));
  const Piece p = hand();
  won_ = won_ || (winning_squares(p) & bit(s)) != 0;
  attributes_ |= (kSpread[index(p)] & broadcast(bit(s)));
  occupied_ |= bit(s);
  hand_ = kNoHand;
  key_ ^= zobrist::kHandKey[index(p)] ^ zobrist::kBoardKey[index(s)][index(p)];
}

constexpr void Position::undo_place(Square s) {
  assert(!has_hand() && (occupied_ & bit(s)));
  const Piece p = piece_at(s);
  attributes_ &= ~broadcast(bit(s));
  occupied_ = static_cast<Mask>(occupied_ & ~bit(s));
  hand_ = static_cast<std::uint8_t>(p);
  won_ = won_ && has_line();  // only a won position can have been won before
  key_ ^= zobrist::kHandKey[index(p)] ^ zobrist::kBoardKey[index(s)][index(p)];
}

constexpr void Position::give(Piece p) {
  assert(!has_hand() && (available_ & bit(p)));
  available_ = static_cast<Mask>(available_ & ~bit(p));
  hand_ = static_cast<std::uint8_t>(p);
  key_ ^= zobrist::kHandKey[index(p)];
}

constexpr void Position::undo_give() {
  const Piece p = hand();
  available_ |= bit(p);
  hand_ = kNoHand;
  key_ ^= zobrist::kHandKey[index(p)];
}

constexpr Position Position::from_parts(Rules rules, Bitboards attributes, Mask occupied, bool has_hand, Piece hand) {
  Position p(rules);
  p.attributes_ = attributes & broadcast(occupied);
  p.occupied_ = occupied;
  for (const int s : BitsOf(occupied)) {
    const Piece there = p.piece_at(square(s));
    p.available_ = static_cast<Mask>(p.available_ & ~bit(there));
    p.key_ ^= zobrist::kBoardKey[s][index(there)];
  }
  p.won_ = p.has_line();
  if (has_hand) p.give(hand);
  return p;
}

static_assert(sizeof(Position) == 24);

}  // namespace quarto
