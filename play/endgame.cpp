#include "play/endgame.h"

#include <algorithm>
#include <bit>
#include <chrono>

#include "play/choose.h"

namespace quarto {

EndgamePlayer::EndgamePlayer(std::string name, std::unique_ptr<Player> other, int squares, bool sharp,
                             const PlayerOptions& options)
    : name_(std::move(name)),
      other_(std::move(other)),
      squares_(squares),
      sharp_(sharp),
      memory_(options.exact_memory ? options.exact_memory : std::make_shared<ExactMemory>(options)) {}

std::vector<Move> EndgamePlayer::choose(std::span<const Position> positions) {
  std::vector<Move> moves(positions.size());
  std::vector<std::size_t> early, late;
  std::vector<Position> others, solved;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const bool exact = std::popcount(positions[i].empty()) <= squares_;
    (exact ? late : early).push_back(i);
    (exact ? solved : others).push_back(positions[i]);
  }
  if (!others.empty()) {
    const std::vector<Move> chosen = other_->choose(others);
    for (std::size_t i = 0; i < early.size(); ++i) moves[early[i]] = chosen[i];
  }
  if (!late.empty()) {
    const std::vector<Move> chosen = exact_choices(memory_->solver, solved, sharp_);
    for (std::size_t i = 0; i < late.size(); ++i) moves[late[i]] = chosen[i];
  }
  return moves;
}

// Exact play may take a third of the budget; if that does not suffice, the other player has the rest of the clock.
Move EndgamePlayer::choose_by_clock(const Position& position, const GameClock& clock) {
  GameClock rest = clock;
  if (std::popcount(position.empty()) <= squares_) {
    const auto start = std::chrono::steady_clock::now();
    SolveLimits limits;
    limits.time = std::max(budget_of(position, clock).time / 3, std::chrono::milliseconds(1));
    if (const auto move = exact_choice(memory_->solver, position, limits, sharp_).move) return *move;
    rest.left -= std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  }
  return other_->choose_by_clock(position, rest);
}

}  // namespace quarto
