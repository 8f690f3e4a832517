// The search behind Solver::distance() and Solver::distances(), which say what is counted (solver/solver.h).
//
// A round goes from one board at which the winner gives to the next: the winner gives, the loser places and gives, the
// winner places. So every distance is a few placements before the first such board, and two for each round after it.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "solver/search.h"

namespace quarto::solver {

// Keeps its results between calls, in up to so many bytes and a hundred million. Shares a table with searchers of the
// same ideas.
template <Rules kRules>
class DistanceSearch {
 public:
  DistanceSearch(Table& table, const SearchIdeas& ideas, std::size_t bytes)
      : geometry_(Geometry<kRules>::get()),
        searcher_(table, nullptr, ideas),
        most_kept_(std::min(bytes, kMostBytes) / kBytesOfOne) {}

  std::uint64_t nodes() const { return searcher_.nodes(); }
  // From a move on, before the first round: the move itself where it is a placement, and one of the winner where the
  // loser gives first.
  int placements_before(const Position& position, bool mover_wins) const {
    return (position.has_hand() ? 1 : 0) + (mover_wins ? 0 : 1);
  }
  // Whether after this move whoever is named as the winner wins within n rounds. False for moves that do not win or
  // lose. Throws Stopped.
  bool ends_within(const Position& position, Move move, bool mover_wins, int n, const Interrupt& interrupt);

 private:
  bool wins_within(State<kRules> state, int n);
  bool some_piece_wins(const State<kRules>& state, int n);
  bool wins_on_every_square(const Placement<kRules>& placement, int n);
  bool can_place(const State<kRules>& state, Piece in_hand, int n);

  // Bounds on the number of rounds that the giver of a board needs to win.
  struct Bounds {
    int more_than = 0, at_most = kSquares;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const { return static_cast<std::size_t>(name.first); }
  };

  static constexpr std::size_t kMostBytes = 100'000'000, kBytesOfOne = 64;

  const Geometry<kRules>& geometry_;
  Searcher<kRules> searcher_;
  const std::size_t most_kept_;
  const Interrupt* interrupt_ = nullptr;
  std::unordered_map<Name, Bounds, NameHash> known_;
};

}  // namespace quarto::solver
