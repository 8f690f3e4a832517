#include "play/sharp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace quarto {
namespace {

// Further than any end that is known: the short ones are found first.
constexpr int kFar = kSquares + 1;

std::vector<Move> keeping_moves(const Position& position, const MoveSolution& solution) {
  std::vector<Move> keeping;
  for (const Move m : position.moves()) {
    if (solution.values[m.index] == solution.value) keeping.push_back(m);
  }
  return keeping;
}

// The first of `moves` whose rank is the highest.
template <class Rank>
std::optional<Move> best_of(const std::vector<Move>& moves, const Rank& rank) {
  const auto best = std::max_element(moves.begin(), moves.end(), [&](Move a, Move b) { return rank(a) < rank(b); });
  return best == moves.end() ? std::nullopt : std::optional(*best);
}

std::optional<Move> by_distance(Solver& solver, const Position& position, const MoveSolution& solution,
                                const std::vector<Move>& keeping, const SolveLimits& limits) {
  const MoveDistances distances = solver.distances(position, solution, limits);
  const int sign = *solution.value == Value::win ? -1 : 1;
  if (sign < 0 && !distances.complete && !distances.best) return std::nullopt;
  return best_of(keeping, [&](Move m) { return sign * distances.placements[m.index].value_or(kFar); });
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

std::optional<Move> by_replies(Solver& solver, const Position& position, const std::vector<Move>& keeping,
                               const SolveLimits& limits) {
  const auto replies = replies_to(solver, position, keeping, limits);
  if (!replies) return std::nullopt;
  const std::vector<MoveSolution> answers = solver.solve_moves_of_all(replies->faced, limits);
  std::array<int, kMoves> losing{};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i].value) return std::nullopt;
    const auto& values = answers[i].values;
    int& most = losing[replies->by[i].index];
    most = std::max(most, static_cast<int>(std::count(values.begin(), values.end(), Value::loss)));
  }
  return best_of(keeping, [&](Move m) { return losing[m.index]; });
}

}  // namespace

std::optional<Move> sharpest_move(SharedSolver& solver, const Position& position, const MoveSolution& solution,
                                  const SolveLimits& limits) {
  if (!solution.value) return std::nullopt;
  const std::vector<Move> keeping = keeping_moves(position, solution);
  if (keeping.size() < 2) return best_of(keeping, [](Move) { return 0; });
  if (*solution.value == Value::draw && std::popcount(position.empty()) > kTrapSquares) return std::nullopt;
  const auto found = solver.ask(limits, [&](Solver& s, const SolveLimits& l) {
    return *solution.value == Value::draw ? by_replies(s, position, keeping, l)
                                          : by_distance(s, position, solution, keeping, l);
  });
  return found.value_or(std::nullopt);
}

}  // namespace quarto
