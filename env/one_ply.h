// What one ply of foresight shows. The one-ply rule: win if you can, do not give a loser, do not place so that only
// losers are left to give. What it sets aside, a person sets aside after the first game; what it cannot tell apart
// needs thought. It is the floor that a measurement is read against (docs/measuring.md).
#pragma once

#include "env/position.h"

namespace quarto {

// The legal moves that do not lose at once: gives with which the opponent cannot win on the spot; places that win, fill
// the board, or leave a piece that can be given so. May be empty.
Mask safe_moves(const Position& position);

// The moves the rule chooses from, each as likely as the next: winning places if there are any, else safe moves if
// there are any, else all legal moves. Never empty unless the position is terminal.
Mask one_ply_moves(const Position& position);

// Beyond the one-ply rule, and still read off the masks.
// With a piece in hand: the places that neither win nor fill the board and leave only pieces that lose to give.
Mask stranding_places(const Position& position);
// With none: the gives that do not lose at once, and after which every place strands the receiver.
Mask strangling_gives(const Position& position);

}  // namespace quarto
