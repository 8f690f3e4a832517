#include "play/perfect.h"

#include <algorithm>
#include <unordered_set>

#include "env/random_play.h"
#include "solver/book.h"

namespace quarto {
namespace {

// A position is looked at again within a game and its neighbours; older ones may go.
constexpr std::size_t kMostKept = 1 << 20;

Position after(const Position& position, int m) {
  return position.after({position.phase(), static_cast<std::uint8_t>(m)});
}

}  // namespace

ExactMemory::ExactMemory(const PlayerOptions& options)
    : solver({.table_bytes = options.table_bytes, .threads = options.threads, .books = Books::shipped()}) {}

PerfectPlayer::PerfectPlayer(const PlayerOptions& options, PerfectStyle style)
    : style_(style),
      memory_(options.exact_memory ? options.exact_memory : std::make_shared<ExactMemory>(options)),
      rng_(mix_seed(options.seed, 0x9EFEC7)) {}

std::vector<double> PerfectPlayer::failing_shares(std::span<const Position> positions) {
  std::vector<CanonicalKey> keys;
  std::vector<Position> unknown;
  std::unordered_set<CanonicalKey> asked;
  for (const Position& p : positions) {
    keys.push_back(canonical_key(p));
    if (!memory_->failing.contains(keys.back()) && asked.insert(keys.back()).second) unknown.push_back(p);
  }
  const auto solutions = memory_->solver.solve_moves_of_all(unknown);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const int keeping = std::popcount(solutions[i].keeping());
    const int all = std::popcount(unknown[i].legal_moves());
    memory_->failing[canonical_key(unknown[i])] = 1.0 - static_cast<double>(keeping) / all;
  }
  std::vector<double> shares;
  for (const CanonicalKey& key : keys) shares.push_back(memory_->failing.at(key));
  return shares;
}

Move PerfectPlayer::choose_one(const Position& position) {
  const auto pick = [&](Mask among) {
    return Move{position.phase(), static_cast<std::uint8_t>(random_bit(among, rng_))};
  };
  if (position.has_hand()) {
    if (const Mask winning = position.winning_squares(position.hand())) return pick(winning);
  }
  const MoveSolution solution = memory_->solver.solve_moves(position);
  const Mask keeping = solution.keeping();
  if (style_ == PerfectStyle::any || std::has_single_bit(keeping)) return pick(keeping);

  // The opponent's positions that each move may lead to by a give that keeps the value.
  std::vector<Position> faced;
  std::vector<int> by;
  for (const int m : BitsOf(keeping)) {
    const Position next = after(position, m);
    if (next.has_hand()) {
      faced.push_back(next);
      by.push_back(m);
    } else if (!next.is_terminal()) {
      for (const int g : BitsOf(memory_->solver.solve_moves(next).keeping())) {
        faced.push_back(after(next, g));
        by.push_back(m);
      }
    }
  }
  const std::vector<double> failing = failing_shares(faced);
  std::array<double, kMoves> best_of{};
  for (std::size_t i = 0; i < faced.size(); ++i) {
    auto& best = best_of[static_cast<std::size_t>(by[i])];
    best = std::max(best, failing[i]);
  }
  const double best = *std::max_element(best_of.begin(), best_of.end());
  Mask candidates = 0;
  for (const int m : BitsOf(keeping)) {
    if (best_of[static_cast<std::size_t>(m)] >= best) candidates |= static_cast<Mask>(1U << m);
  }
  if (memory_->failing.size() > kMostKept) memory_->failing.clear();
  return pick(candidates);
}

std::vector<Move> PerfectPlayer::choose(std::span<const Position> positions) {
  std::vector<Move> moves;
  for (const Position& p : positions) moves.push_back(choose_one(p));
  return moves;
}

}  // namespace quarto
