#include "play/careless.h"

#include "env/random_play.h"

namespace quarto {

std::optional<Move> careless_move(const Position& position, int percent, Rng& rng) {
  if (rng.below(100) >= static_cast<std::uint64_t>(percent)) return std::nullopt;
  return random_move(position, rng);
}

CarelessPlayer::CarelessPlayer(std::string name, std::unique_ptr<Player> other, int percent, std::uint64_t seed)
    : name_(std::move(name)), other_(std::move(other)), percent_(percent), rng_(seed) {}

std::vector<Move> CarelessPlayer::choose(std::span<const Position> positions) {
  std::vector<Move> moves(positions.size());
  std::vector<std::size_t> looked_at;
  std::vector<Position> rest;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (const auto move = careless_move(positions[i], percent_, rng_)) {
      moves[i] = *move;
    } else {
      looked_at.push_back(i);
      rest.push_back(positions[i]);
    }
  }
  if (rest.empty()) return moves;
  const std::vector<Move> chosen = other_->choose(rest);
  for (std::size_t i = 0; i < rest.size(); ++i) moves[looked_at[i]] = chosen[i];
  return moves;
}

Move CarelessPlayer::choose_by_clock(const Position& position, const GameClock& clock) {
  if (const auto move = careless_move(position, percent_, rng_)) return *move;
  return other_->choose_by_clock(position, clock);
}

}  // namespace quarto
