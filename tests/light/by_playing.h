// The counts of the network's input, by playing every move: slow and obviously right.
#pragma once

#include <algorithm>

#include "env/position.h"
#include "env/symmetry.h"
#include "light/fourth_placement.h"
#include "light/replies.h"
#include "light/third_placement.h"
#include "tests/support/random_positions.h"

namespace quarto::light {

// A position in which more than three pairs have counts; C is Replies, ThirdPlacement or FourthPlacement.
template <class C>
Position counted_position(int plies, Rng& rng, Rules rules) {
  while (true) {
    const Position p = random_position_at(plies, rng, rules);
    const PairsInput in(p);
    int pairs = 0;
    for (int pair = 0; pair < in.n * in.n; ++pair) pairs += C::given(in, pair) != 0;
    if (pairs > 3) return p;
  }
}

inline Mask safe_gives(const Position& board) {
  Mask safe = 0;
  for (const int r : BitsOf(board.available())) {
    if (board.winning_squares(piece(r)) == 0) safe = static_cast<Mask>(safe | 1U << r);
  }
  return safe;
}

inline Position played(Position board, int give, int place) {
  board.give(piece(give));
  board.place(square(place));
  return board;
}

inline int image_of(Symmetry s, Phase phase, int index, Rules rules) {
  return apply(s, Move{phase, static_cast<std::uint8_t>(index)}, rules).index;
}

// Where the image of a pair of `in` is in `image`, which is the input of the image of in's position.
inline int image_of_pair(Symmetry s, const PairsInput& in, int pair, const PairsInput& image, Rules rules) {
  const auto find = [&](const auto& list, int wanted) {
    return static_cast<int>(std::find(list.begin(), list.begin() + image.n, wanted) - list.begin());
  };
  const int row = find(image.pieces, image_of(s, Phase::give, in.pieces[static_cast<std::size_t>(pair / in.n)], rules));
  const int column =
      find(image.squares, image_of(s, Phase::place, in.squares[static_cast<std::size_t>(pair % in.n)], rules));
  return row * in.n + column;
}

// The board with p on s, for a pair of p's input.
inline Position after_pair(const Position& p, const PairsInput& in, int pair) {
  Position board = p;
  if (p.has_hand()) board.undo_give();
  return played(board, in.pieces[static_cast<std::size_t>(pair / in.n)],
                in.squares[static_cast<std::size_t>(pair % in.n)]);
}

// The pieces q of a pair that the player to act can bring about; empty for others.
inline Mask given_by_playing(const Position& p, const PairsInput& in, int pair) {
  const Piece x = piece(in.pieces[static_cast<std::size_t>(pair / in.n)]);
  if (p.has_hand() ? p.hand() != x : p.winning_squares(x) != 0) return 0;
  const Position after = after_pair(p, in, pair);
  return after.is_won() ? Mask{0} : safe_gives(after);
}

// `after_pair`: the board with p on s. The counts of one q, by playing every placement of it.
inline Replies::Counts replies_by_playing(const Position& after_pair, int q) {
  Replies::Counts c{};
  for (const int z : BitsOf(after_pair.empty())) {
    const int safe = std::popcount(safe_gives(played(after_pair, q, z)));
    c.safe += safe > 0;
    c.odd += safe % 2;
    c.one += safe == 1;
  }
  return c;
}

// The same, by playing also every safe give after it and every placement of that.
inline ThirdPlacement::Counts third_by_playing(const Position& after_pair, int q) {
  int none = 0, one = 0, odd = 0, least = kThirdCounts - 1;
  for (const int z : BitsOf(after_pair.empty())) {
    const Position replied = played(after_pair, q, z);
    int m = kSquares;
    for (const int r : BitsOf(safe_gives(replied))) {
      int kept = 0;
      for (const int w : BitsOf(replied.empty())) kept += safe_gives(played(replied, r, w)) != 0;
      m = std::min(m, kept);
    }
    if (m == kSquares) continue;  // nothing is safe
    none += m == 0;
    one += m == 1;
    odd += m % 2;
    least = std::min(least, m);
  }
  const auto byte = [](int x) { return static_cast<std::uint8_t>(x); };
  return {byte(none), byte(one), byte(odd), byte(least)};
}

// Whether the player to give wins by some give and, whatever the answer, every piece that is left then.
inline bool wins_with_some_give(const Position& board) {
  const Mask gives = safe_gives(board);
  for (const int t : BitsOf(gives)) {
    bool wins = true;
    for (const int x : BitsOf(board.empty())) wins &= safe_gives(played(board, t, x)) == 0;
    if (wins) return true;
  }
  return false;
}

// `after_pair`: the board with p on s. The answers to q that hold, by playing everything.
inline int holding_by_playing(const Position& after_pair, int q) {
  int holding = 0;
  for (const int z : BitsOf(after_pair.empty())) {
    const Position replied = played(after_pair, q, z);
    bool holds = false;
    for (const int r : BitsOf(safe_gives(replied))) {
      bool lost = false;
      for (const int w : BitsOf(replied.empty())) lost |= wins_with_some_give(played(replied, r, w));
      holds |= !lost;
    }
    holding += holds;
  }
  return holding;
}

}  // namespace quarto::light
