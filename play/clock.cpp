#include "play/clock.h"

#include <algorithm>
#include <array>
#include <bit>

namespace quarto {
namespace {

using std::chrono::milliseconds;

constexpr int kCheapSquares = 8;
// What a busy machine adds to a decision.
constexpr milliseconds kDelay{20};

// Milliseconds of processor time for the exact value of every move with an empty table: the 90th percentile of random
// positions without a piece in hand, which take longer than those with one (docs/solver.md). From kFirstSolved empty
// squares on; with fewer it is always exact.
constexpr int kFirstSolved = 7;
constexpr std::array<double, 7> kSolveAllMoves = {0.1, 4, 8, 27, 200, 850, 8000};

}  // namespace

MoveBudget budget_of(const Position& position, const GameClock& clock) {
  const int empty = std::popcount(position.empty());
  // Decisions this player still has, at most, and those that time is planned for.
  const int left = empty + 2;
  const int planned = empty > kCheapSquares ? empty - kCheapSquares + 2 : left;
  const milliseconds reserve = std::max(clock.left / 10, std::min(clock.left / 2, left * kDelay));
  // Of the increment only a part: what is left of it makes up for decisions that took longer than planned.
  const milliseconds share = (clock.left - reserve) / planned + clock.increment * 3 / 4;
  MoveBudget budget;
  budget.time = std::clamp(share, milliseconds(1), std::max(milliseconds(1), clock.left - reserve));
  budget.exact_squares = kFirstSolved;
  for (std::size_t i = 0; i < kSolveAllMoves.size(); ++i) {
    if (2 * kSolveAllMoves[i] <= static_cast<double>(budget.time.count()))
      budget.exact_squares = kFirstSolved + static_cast<int>(i);
  }
  return budget;
}

}  // namespace quarto
