#include "play/sharp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <vector>

namespace quarto {
namespace {

// Further than any end that is known: the short ones are found first.
constexpr int kFar = kSquares + 1;

// The first of `moves` whose rank is the highest.
template <class Rank>
std::optional<Move> best_of(const std::vector<Move>& moves, const Rank& rank) {
  const auto best = std::max_element(moves.begin(), moves.end(), [&](Move a, Move b) { return rank(a) < rank(b); });
  return best == moves.end() ? std::nullopt : std::optional(*best);
}

Sharpest by_distance(Solver& solver, const Position& position, const MoveSolution& solution,
                     const std::vector<Move>& keeping, const SolveLimits& limits) {
  const MoveDistances distances = solver.distances(position, solution, limits);
  const bool wins = *solution.value == Value::win;
  // All values being known, the shortest win is the first that is found.
  if (wins && !distances.best) return {{}, false};
  const int sign = wins ? -1 : 1;
  return {best_of(keeping, [&](Move m) { return sign * distances.placements[m.index].value_or(kFar); }),
          wins || distances.best};
}

// The opponent's positions that the moves may lead to by gives that keep the draw, and by which move.
struct Replies {
  std::vector<Position> faced;
  std::vector<Move> by;
};

std::optional<Replies> replies_to(Solver& solver, const Position& position, const std::vector<Move>& keeping,
                                  const SolveLimits& limits) {
  Replies replies;
  std::vector<Position> giving;
  std::vector<Move> placed;
  for (const Move m : keeping) {
    const Position next = position.after(m);
    if (next.is_terminal()) continue;
    (next.has_hand() ? replies.faced : giving).push_back(next);
    (next.has_hand() ? replies.by : placed).push_back(m);
  }
  const std::vector<MoveSolution> gives = solver.solve_moves_of_all(giving, limits);
  for (std::size_t i = 0; i < giving.size(); ++i) {
    for (const Move give : giving[i].moves()) {
      const auto& value = gives[i].values[give.index];
      if (!value) return std::nullopt;
      if (*value != Value::draw) continue;
      replies.faced.push_back(giving[i].after(give));
      replies.by.push_back(placed[i]);
    }
  }
  return replies;
}

Sharpest by_replies(Solver& solver, const Position& position, const std::vector<Move>& keeping,
                    const SolveLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  const auto replies = replies_to(solver, position, keeping, limits);
  if (!replies) return {{}, false};
  const std::vector<MoveSolution> answers = solver.solve_moves_of_all(replies->faced, limits.left_since(start));
  std::array<int, kMoves> losing{};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& values = answers[i].values;
    for (const Move m : replies->faced[i].moves()) {
      if (!values[m.index]) return {{}, false};
    }
    int& most = losing[replies->by[i].index];
    most = std::max(most, static_cast<int>(std::count(values.begin(), values.end(), Value::loss)));
  }
  return {best_of(keeping, [&](Move m) { return losing[m.index]; })};
}

}  // namespace

Sharpest sharpest_move(SharedSolver& solver, const Position& position, const MoveSolution& solution,
                       const SolveLimits& limits) {
  if (!solution.value) return {};
  std::vector<Move> keeping;
  for (const Move m : MovesOf(position.phase(), solution.keeping())) keeping.push_back(m);
  if (keeping.size() < 2) return {best_of(keeping, [](Move) { return 0; })};
  if (*solution.value == Value::draw && std::popcount(position.empty()) > kTrapSquares) return {};
  return solver
      .ask(limits,
           [&](Solver& s, const SolveLimits& l) {
             return *solution.value == Value::draw ? by_replies(s, position, keeping, l)
                                                   : by_distance(s, position, solution, keeping, l);
           })
      .value_or(Sharpest{{}, false});
}

}  // namespace quarto
