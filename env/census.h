// Counting positions: how many there are, up to symmetry, after so many moves; and how likely a partly filled board is
// to have no quarto yet. Needs the rules only.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "env/position.h"

namespace quarto {

// A won board ends the game, or is played on as if nothing had happened (some published counts do).
enum class WonBoards { end, play_on };

// The distinct positions up to symmetry after 0, 1, ... `plies` moves (a give or a place each): for each ply one
// representative of each, in the order of their canonical keys. 0.2 s for 9 plies.
std::vector<std::vector<Position>> distinct_positions(int plies, WonBoards won = WonBoards::end,
                                                      Rules rules = Rules::lines);

// The number of ways to put `pieces` different pieces on different squares and one more in hand (none with 16 down):
// C(16, n) * 16! / (16 - n)! * (16 - n). Exact in a double.
double placements(int pieces);

// Of `samples` random boards with so many pieces, those without a quarto.
std::uint64_t sample_without_quarto(int pieces, std::uint64_t samples, Rng& rng, Rules rules = Rules::lines);

}  // namespace quarto
