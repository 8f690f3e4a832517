#include "eval/opening_explorer.h"

#include <algorithm>

namespace quarto {

void OpeningStatistics::add(std::span<const PlayedGame> games, Rules rules) {
  for (const PlayedGame& game : games) {
    std::vector<Position> positions{Position(rules)};
    for (const Move m : game.moves) positions.push_back(positions.back().after(m));
    const Position& last = positions.back();
    std::optional<double> points_of_first = game.points_of_first;
    if (!points_of_first && last.is_terminal()) {
      // The terminal value is for the player to act, who placed last.
      const double of_last = (static_cast<int>(last.terminal_value()) + 1) / 2.0;
      points_of_first = last.player_to_act() == 0 ? of_last : 1 - of_last;
    }
    for (std::size_t i = 0; i + 1 < positions.size(); ++i) {
      PlayedCount& count = moves_[{canonical_key(positions[i]), canonical_key(positions[i + 1])}];
      ++count.games;
      if (!points_of_first) continue;
      ++count.scored;
      count.points += positions[i].player_to_act() == 0 ? *points_of_first : 1 - *points_of_first;
    }
  }
}

void OpeningStatistics::add(const Suite& suite) {
  for (const SuiteEntry& entry : suite.entries) ++suite_[canonical_key(entry.position)];
}

PlayedCount OpeningStatistics::of_move(const Position& before, const Position& after) const {
  const auto it = moves_.find({canonical_key(before), canonical_key(after)});
  return it == moves_.end() ? PlayedCount() : it->second;
}

std::size_t OpeningStatistics::suite_positions(const Position& position) const {
  const auto it = suite_.find(canonical_key(position));
  return it == suite_.end() ? 0 : it->second;
}

std::vector<ExploredMove> explore(const Position& position, const OpeningStatistics& statistics, Solver& solver,
                                  const SolveLimits& limits) {
  std::vector<ExploredMove> explored;
  if (position.is_terminal()) return explored;
  const MoveSolution solution = solver.solve_moves(position, limits);
  std::map<CanonicalKey, std::size_t> known;
  for (const Move m : position.moves()) {
    const Position after = position.after(m);
    const auto [it, fresh] = known.try_emplace(canonical_key(after), explored.size());
    if (fresh)
      explored.push_back(
          {{}, solution.values[m.index], statistics.of_move(position, after), statistics.suite_positions(after)});
    explored[it->second].moves.push_back(m);
  }
  const auto worth = [](const ExploredMove& m) { return m.value ? static_cast<int>(*m.value) : -2; };
  std::stable_sort(explored.begin(), explored.end(), [&](const ExploredMove& a, const ExploredMove& b) {
    return worth(a) != worth(b) ? worth(a) > worth(b) : a.played.games > b.played.games;
  });
  return explored;
}

}  // namespace quarto
