#include "solver/proof_bound.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <vector>

#include "solver/endgame.h"

namespace quarto {
namespace {

using solver::Answers;
using solver::Geometry;
using solver::Goal;
using solver::Placement;
using solver::SafeAfter;
using solver::State;

constexpr int kMostEmpty = kSquares - 1;
// Boards with fewer empty squares are never looked at one by one.
constexpr int kLeastCounted = 4;

constexpr std::uint64_t kMany = std::uint64_t{1} << 32;
// [goal][empty squares][safe pieces]: the nodes of a giver's question about any such board are no more, or kMany.
constexpr auto kMostNodes = [] {
  std::array<std::array<std::array<std::uint64_t, kMostEmpty + 1>, kMostEmpty + 1>, 2> most{};
  for (std::size_t empty = 1; empty <= kMostEmpty; ++empty) {
    for (std::size_t safe = 0; safe <= empty; ++safe) {
      for (const Goal goal : {Goal::draw, Goal::win}) {
        const Goal next = other(goal);
        const bool leaf = solver::known_by_count(static_cast<int>(empty), goal) ||
                          solver::known_by_count(static_cast<int>(empty) - 1, next);
        const std::uint64_t below = leaf ? 0 : most[next == Goal::win][empty - 1][empty - 1];
        most[goal == Goal::win][empty][safe] = std::min(kMany, 1 + safe * empty * below);
      }
    }
  }
  return most;
}();

std::uint64_t most_nodes(int empty, Mask safe, Goal goal) {
  return kMostNodes[goal == Goal::win][static_cast<std::size_t>(empty)][static_cast<std::size_t>(std::popcount(safe))];
}

// A giver's question that a search comes to.
template <Rules kRules>
struct Board {
  State<kRules> state;
  Mask safe;
  Goal goal;
  std::uint64_t nodes = 0;  // no more are needed
};

// The boards that the placer's question comes to first.
template <Rules kRules, class Each>
void for_each_board(const State<kRules>& state, Piece piece, const SafeAfter& safe, Goal goal,
                    const Geometry<kRules>& geometry, const Each& each) {
  const SafeAfter::Sets sets(safe);
  const Placement<kRules> placement(state, piece, geometry);
  for (const int s : BitsOf(static_cast<Mask>(safe.squares())))
    each(Board<kRules>{placement.on(s, geometry), sets.on(s), goal});
}

// The nodes of the question, or more than `limit` if they may be more than that. Boards with fewer than `counted` empty
// squares are not looked at.
template <Rules kRules>
std::uint64_t nodes_of(const Board<kRules>& board, int counted, std::uint64_t limit, const Geometry<kRules>& geometry) {
  const int empty = std::popcount(board.state.empty);
  if (empty < counted) return most_nodes(empty, board.safe, board.goal);
  const Answers<kRules> answers(board.state, geometry);
  const Goal next = other(board.goal);
  std::uint64_t nodes = 1;
  for (const int p : BitsOf(board.safe)) {
    const SafeAfter safe = answers.safe_after(piece(p));
    if (empty - 1 < counted) {
      const SafeAfter::Sets sets(safe);
      for (const int s : BitsOf(static_cast<Mask>(safe.squares()))) nodes += most_nodes(empty - 1, sets.on(s), next);
    } else {
      for_each_board(board.state, piece(p), safe, next, geometry, [&](const Board<kRules>& child) {
        if (nodes <= limit) nodes += nodes_of(child, counted, limit - nodes, geometry);
      });
    }
    if (nodes > limit) break;
  }
  return nodes;
}

// Whether a search that enters these boards needs at most `limit` nodes. Looks closer only as far as that is not clear.
template <Rules kRules>
bool within(std::vector<Board<kRules>>& boards, std::uint64_t limit, const Geometry<kRules>& geometry) {
  if (boards.empty()) return true;
  const int empty = std::popcount(boards.front().state.empty);
  std::uint64_t sum = 0;
  for (Board<kRules>& board : boards) sum += board.nodes = most_nodes(empty, board.safe, board.goal);
  if (sum <= limit) return true;
  if (empty > kLeastCounted) {
    for (Board<kRules>& board : boards) {
      sum -= board.nodes;
      sum += board.nodes = nodes_of(board, empty, board.nodes, geometry);
      if (sum <= limit) return true;
    }
  }
  std::uint64_t counted = 0;
  for (Board<kRules>& board : boards) {
    sum -= board.nodes;
    board.nodes = nodes_of(board, kLeastCounted, limit - counted, geometry);
    sum += board.nodes;
    counted += board.nodes;
    if (sum <= limit) return true;
    if (counted > limit) return false;
  }
  return false;
}

// For a board to give at: its giver's draw, and for each piece that can be given the placer's draw. All other questions
// about it or about what follows take fewer nodes than one of these.
template <Rules kRules>
bool suffice(const State<kRules>& state, Mask safe, std::uint64_t nodes, const Geometry<kRules>& geometry,
             std::vector<Board<kRules>>& boards) {
  if (most_nodes(std::popcount(state.empty), safe, Goal::draw) <= nodes &&
      most_nodes(std::popcount(state.empty), safe, Goal::win) <= nodes)
    return true;
  const Answers<kRules> answers(state, geometry);
  boards.clear();
  for (const int p : BitsOf(safe)) {
    for_each_board(state, piece(p), answers.safe_after(piece(p)), Goal::win, geometry,
                   [&](const Board<kRules>& board) { boards.push_back(board); });
  }
  if (!within(boards, nodes - 1, geometry)) return false;
  for (const int p : BitsOf(safe)) {
    boards.clear();
    for_each_board(state, piece(p), answers.safe_after(piece(p)), Goal::draw, geometry,
                   [&](const Board<kRules>& board) { boards.push_back(board); });
    if (!within(boards, nodes, geometry)) return false;
  }
  return true;
}

template <Rules kRules>
bool suffice(const State<kRules>& state, Piece hand, std::uint64_t nodes) {
  const Geometry<kRules>& geometry = Geometry<kRules>::get();
  const SafeAfter safe = Answers<kRules>(state, geometry).safe_after(hand);
  std::vector<Board<kRules>> boards;
  bool all = true;
  for_each_board(state, hand, safe, Goal::draw, geometry, [&](const Board<kRules>& board) {
    all = all && suffice(board.state, board.safe, nodes, geometry, boards);
  });
  return all;
}

}  // namespace

bool proofs_suffice(const Position& position, std::uint64_t nodes) {
  assert(nodes >= 1 && nodes < kMany);
  if (position.winning_squares(position.hand())) return true;
  return with_rules(position.rules(),
                    [&](auto rules) { return suffice(State<rules()>::of(position), position.hand(), nodes); });
}

}  // namespace quarto
