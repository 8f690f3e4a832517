#include "env/census.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "env/canonical.h"

namespace quarto {

std::vector<std::vector<Position>> distinct_positions(int plies, WonBoards won, Rules rules) {
  std::vector<std::vector<Position>> levels(1, {Position(rules)});
  while (static_cast<int>(levels.size()) <= plies) {
    std::unordered_map<CanonicalKey, Position> next;
    for (const Position& p : levels.back()) {
      if (p.is_won() && won == WonBoards::end) continue;
      for (const Move m : MovesOf(p.phase(), p.has_hand() ? p.empty() : p.available())) {
        const CanonicalForm form = canonical_form(p.after(m));
        next.emplace(canonical_key(form.position), form.position);
      }
    }
    std::vector<std::pair<CanonicalKey, Position>> sorted(next.begin(), next.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Position>& level = levels.emplace_back();
    for (const auto& [key, position] : sorted) level.push_back(position);
  }
  return levels;
}

double placements(int pieces) {
  double ways = 1;
  // n squares of 16 and n pieces of 16 in order: the i-th piece is one of 16 - i, and C(16, n) grows by (16 - i)/(i +
  // 1).
  for (int i = 0; i < pieces; ++i) ways = ways * (kPieces - i) * (kSquares - i) / (i + 1);
  return pieces < kPieces ? ways * (kPieces - pieces) : ways;
}

std::uint64_t sample_without_quarto(int pieces, std::uint64_t samples, Rng& rng, Rules rules) {
  std::array<int, kSquares> squares{};
  std::array<int, kPieces> kinds{};
  std::iota(squares.begin(), squares.end(), 0);
  std::iota(kinds.begin(), kinds.end(), 0);
  std::uint64_t without = 0;
  for (std::uint64_t sample = 0; sample < samples; ++sample) {
    Bitboards attributes = 0;
    Mask occupied = 0;
    // The first steps of two shuffles, which may start from any order.
    for (int i = 0; i < pieces; ++i) {
      const auto from = static_cast<std::size_t>(i), rest = static_cast<std::size_t>(kSquares - i);
      std::swap(squares[from], squares[from + rng.below(rest)]);
      std::swap(kinds[from], kinds[from + rng.below(rest)]);
      attributes |= kSpread[static_cast<std::size_t>(kinds[from])] & broadcast(bit(square(squares[from])));
      occupied |= bit(square(squares[from]));
    }
    without += !Position::from_parts(rules, attributes, occupied, false, Piece{}).is_won();
  }
  return without;
}

}  // namespace quarto
