#include "solver/distance.h"

#include <algorithm>
#include <unordered_map>

#include "solver/search.h"

namespace quarto {
namespace {

using solver::Geometry;
using solver::Goal;
using solver::Interrupt;
using solver::Name;
using solver::Placement;
using solver::Searcher;
using solver::State;
using solver::Table;

constexpr std::size_t kMostKept = 100'000'000 / 64;
// A round goes from one board at which the winner gives to the next: the winner gives, the loser places and gives, the
// winner places.
constexpr int kPliesPerRound = 4;

struct NameHash {
  std::size_t operator()(const Name& name) const { return static_cast<std::size_t>(name.first); }
};

// Bounds on the number of rounds that the giver of a board needs to win.
struct Bounds {
  int more_than = 0, at_most = kSquares;
};

template <Rules kRules>
class Rounds {
 public:
  explicit Rounds(Table& table) : geometry_(Geometry<kRules>::get()), searcher_(table, nullptr, {}) {}

  // The fewest rounds in which the giver forces a win; nullopt if the giver cannot.
  std::optional<int> of(const State<kRules>& state) {
    const int most = std::popcount(state.left) / 2;
    for (int n = 1; n <= most; ++n) {
      if (wins_within(state, n)) return n;
    }
    return std::nullopt;
  }

 private:
  bool wins_within(State<kRules> state, int n) {
    state.trim(geometry_);
    if (n < 1 || state.dead() || state.safe() == 0) return false;
    const Name name = name_of<kRules>(canonical_state(state, geometry_));
    if (const auto at = known_.find(name); at != known_.end()) {
      if (n <= at->second.more_than) return false;
      if (n >= at->second.at_most) return true;
    }
    // Most boards are not won, and the solver finds this much faster.
    const bool won = searcher_.giver_reaches(state, Goal::win, no_interrupt_) && some_piece_wins(state, n);
    if (known_.size() > kMostKept) known_.clear();
    Bounds& bounds = known_[name];
    if (won) {
      bounds.at_most = std::min(bounds.at_most, n);
    } else {
      bounds.more_than = std::max(bounds.more_than, n);
    }
    return won;
  }

  bool some_piece_wins(const State<kRules>& state, int n) {
    for (const int p : BitsOf(state.safe())) {
      if (wins_on_every_square(Placement<kRules>(state, piece(p), geometry_), n)) return true;
    }
    return false;
  }

  // The loser places and then gives the piece that delays the win most.
  bool wins_on_every_square(const Placement<kRules>& placement, int n) {
    for (const int s : BitsOf(placement.empty())) {
      const State<kRules> after = placement.on(s, geometry_);
      if (after.left == 0) return false;
      for (const int q : BitsOf(after.safe())) {
        if (!can_place(after, piece(q), n - 1)) return false;
      }
    }
    return true;
  }

 public:
  // The winner has a piece in hand that completes no line. Returns true if there is a square after which at most n
  // rounds are needed.
  bool can_place(const State<kRules>& state, Piece in_hand, int n) {
    if (n < 1) return false;
    const Placement<kRules> placement(state, in_hand, geometry_);
    for (const int s : BitsOf(placement.empty())) {
      if (wins_within(placement.on(s, geometry_), n)) return true;
    }
    return false;
  }

 private:
  const Geometry<kRules>& geometry_;
  Searcher<kRules> searcher_;
  const Interrupt no_interrupt_{};
  std::unordered_map<Name, Bounds, NameHash> known_;
};

// For the player with the piece in hand; nullopt if that player cannot force a win.
template <Rules kRules>
std::optional<int> placer_wins_in(const Position& position, Rounds<kRules>& rounds) {
  if (position.winning_squares(position.hand()) != 0) return 1;
  const auto state = State<kRules>::of(position);
  for (int n = 1; n <= std::popcount(state.left) / 2; ++n) {
    if (rounds.can_place(state, position.hand(), n)) return 1 + kPliesPerRound * n;
  }
  return std::nullopt;
}

// For the player who gives.
template <Rules kRules>
std::optional<int> giver_wins_in(const Position& position, Rounds<kRules>& rounds) {
  const auto n = rounds.of(State<kRules>::of(position));
  return n ? std::optional(kPliesPerRound * *n) : std::nullopt;
}

// The other player wins after any move: returns the longest resistance.
template <Rules kRules>
std::optional<int> delayed(const Position& position, Rounds<kRules>& rounds) {
  std::optional<int> longest;
  for (const Move m : position.moves()) {
    const Position next = position.after(m);
    const auto after = next.has_hand() ? placer_wins_in(next, rounds) : delayed(next, rounds);
    if (!after) return std::nullopt;  // this move does not lose
    longest = std::max(longest.value_or(0), 1 + *after);
  }
  return longest;
}

template <Rules kRules>
using MaybeRounds = std::optional<Rounds<kRules>>;

}  // namespace

struct WinDistance::Impl {
  explicit Impl(std::size_t table_bytes) : table(table_bytes) {}

  template <Rules kRules>
  std::optional<int> plies(const Position& position, std::optional<Rounds<kRules>>& made) {
    if (!made) made.emplace(table);
    const auto mine = position.has_hand() ? placer_wins_in(position, *made) : giver_wins_in(position, *made);
    return mine ? mine : delayed(position, *made);
  }

  Table table;
  ForEachRules<MaybeRounds> rounds;
};

WinDistance::WinDistance(std::size_t table_bytes) : impl_(std::make_unique<Impl>(table_bytes)) {}
WinDistance::~WinDistance() = default;

std::optional<int> WinDistance::plies(const Position& position) {
  if (position.is_terminal()) return position.is_won() ? std::optional(0) : std::nullopt;
  return impl_->rounds.visit(position.rules(), [&](auto& rounds) { return impl_->plies(position, rounds); });
}

}  // namespace quarto
