#include "env/one_ply.h"

namespace quarto {
namespace {

constexpr Piece opposite(Piece p) { return piece(kPieces - 1 - index(p)); }

// Whether the piece, placed on the square without winning, leaves nothing of `left` that can be given safely.
bool strands(const Position& p, Piece placed, Square s, Mask left) {
  const Bitboards attributes = p.attributes() | (kSpread[index(placed)] & broadcast(bit(s)));
  return (left & ~Position::winning_pieces(attributes, p.occupied() | bit(s), p.rules())) == 0;
}

// The empty squares of lines with exactly two gaps: only on these does a place make a new threat.
Mask threat_squares(const Position& p) {
  const Mask empty = p.empty();
  Mask found = 0;
  const auto add = [&](Mask line) {
    if (std::popcount(static_cast<Mask>(line & empty)) == 2) found |= line;
  };
  for (const Mask line : kLineMasks) add(line);
  if (p.rules() != Rules::lines) {
    for (const Mask set : rule_set(p.rules()).more_sets()) add(set);
  }
  return static_cast<Mask>(found & empty);
}

}  // namespace

Mask safe_moves(const Position& position) {
  const Mask legal = position.legal_moves();
  if (legal == 0 || !position.has_hand()) return static_cast<Mask>(legal & ~position.losing_gives());
  return static_cast<Mask>(legal & ~stranding_places(position));
}

Mask one_ply_moves(const Position& position) {
  if (position.is_terminal()) return 0;
  if (position.has_hand()) {
    if (const Mask winning = position.winning_squares(position.hand())) return winning;
  }
  const Mask safe = safe_moves(position);
  return safe ? safe : position.legal_moves();
}

// A place takes the safety of a piece only by a new threat, and threatens only with what the placed piece has. Its
// opposite shares nothing with it: if that is left and safe now, it stays safe, and nothing strands. These two remarks
// answer most questions before the loops below.

Mask stranding_places(const Position& position) {
  const Mask left = position.available();
  if (left == 0) return 0;
  const Piece hand = position.hand();
  const Mask safe = static_cast<Mask>(left & ~position.losing_gives());
  if (safe & bit(opposite(hand))) return 0;
  const Mask squares = safe ? threat_squares(position) : position.empty();
  Mask stranding = 0;
  for (const int s : BitsOf(static_cast<Mask>(squares & ~position.winning_squares(hand)))) {
    if (strands(position, hand, square(s), left)) stranding |= bit(square(s));
  }
  return stranding;
}

Mask strangling_gives(const Position& position) {
  const Mask left = position.available();
  const Mask safe = static_cast<Mask>(left & ~position.losing_gives());
  if (std::popcount(safe) > 1 && threat_squares(position) != position.empty()) return 0;
  Mask strangling = 0;
  for (const int p : BitsOf(safe)) {
    const Mask rest = static_cast<Mask>(left & ~bit(piece(p)));
    if (rest == 0 || (safe & bit(opposite(piece(p))))) continue;
    Mask untried = position.empty();
    while (untried && strands(position, piece(p), square(std::countr_zero(untried)), rest)) {
      untried = static_cast<Mask>(untried & (untried - 1));
    }
    if (untried == 0) strangling |= bit(piece(p));
  }
  return strangling;
}

}  // namespace quarto
