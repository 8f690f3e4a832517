#include "solver/distance.h"

#include <algorithm>

namespace quarto::solver {

template <Rules kRules>
bool DistanceSearch<kRules>::ends_within(const Position& position, Move move, bool mover_wins, int n,
                                         const Interrupt& interrupt) {
  interrupt_ = &interrupt;
  const Position next = position.after(move);
  if (next.is_terminal()) return mover_wins && next.is_won();
  const auto winner_places = [&](Piece in_hand) {
    return next.winning_squares(in_hand) != 0 || can_place(State<kRules>::of(next), in_hand, n);
  };
  if (!position.has_hand()) {
    if (!mover_wins) return winner_places(next.hand());
    return n > 0 && next.winning_squares(next.hand()) == 0 &&
           wins_on_every_square(Placement<kRules>(State<kRules>::of(position), next.hand(), geometry_), n);
  }
  if (mover_wins) return wins_within(State<kRules>::of(next), n);
  for (const Move give : next.moves()) {
    if (!winner_places(piece(give.index))) return false;
  }
  return true;
}

// Whether the giver forces a win.
template <Rules kRules>
bool DistanceSearch<kRules>::wins_within(State<kRules> state, int n) {
  state.trim(geometry_);
  if (n < 1 || state.dead() || state.safe() == 0) return false;
  const Name name = name_of<kRules>(canonical_state(state, geometry_));
  if (const auto at = known_.find(name); at != known_.end()) {
    if (n <= at->second.more_than) return false;
    if (n >= at->second.at_most) return true;
  }
  // Most boards are not won, and the searcher finds this much faster.
  const bool won = searcher_.giver_reaches(state, Goal::win, *interrupt_) && some_piece_wins(state, n);
  if (known_.size() > most_kept_) known_.clear();
  Bounds& bounds = known_[name];
  if (won) {
    bounds.at_most = std::min(bounds.at_most, n);
  } else {
    bounds.more_than = std::max(bounds.more_than, n);
  }
  return won;
}

template <Rules kRules>
bool DistanceSearch<kRules>::some_piece_wins(const State<kRules>& state, int n) {
  for (const int p : BitsOf(state.safe())) {
    if (wins_on_every_square(Placement<kRules>(state, piece(p), geometry_), n)) return true;
  }
  return false;
}

// The loser places and then gives the piece that delays the win most.
template <Rules kRules>
bool DistanceSearch<kRules>::wins_on_every_square(const Placement<kRules>& placement, int n) {
  for (const int s : BitsOf(placement.empty())) {
    const State<kRules> after = placement.on(s, geometry_);
    if (after.left == 0) return false;
    for (const int q : BitsOf(after.safe())) {
      if (!can_place(after, piece(q), n - 1)) return false;
    }
  }
  return true;
}

// The winner has a piece in hand that completes no line. Whether there is a square after which at most n rounds are
// needed.
template <Rules kRules>
bool DistanceSearch<kRules>::can_place(const State<kRules>& state, Piece in_hand, int n) {
  if (n < 1) return false;
  const Placement<kRules> placement(state, in_hand, geometry_);
  for (const int s : BitsOf(placement.empty())) {
    if (wins_within(placement.on(s, geometry_), n)) return true;
  }
  return false;
}

#define QUARTO_ROW(name, ...) template class DistanceSearch<Rules::name>;
QUARTO_RULE_SETS(QUARTO_ROW)
#undef QUARTO_ROW

}  // namespace quarto::solver
