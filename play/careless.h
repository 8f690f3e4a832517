// Players below the others: now and then a move is made without looking.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "play/player.h"

namespace quarto {

// In `percent` (0..100) of a hundred decisions any legal move, each as likely as the next; otherwise nullopt.
// `position` must not be terminal.
std::optional<Move> careless_move(const Position& position, int percent, Rng& rng);

// Another player that is careless in `percent` of its decisions.
class CarelessPlayer final : public Player {
 public:
  CarelessPlayer(std::string name, std::unique_ptr<Player> other, int percent, std::uint64_t seed);

  std::string name() const override { return name_; }
  std::vector<Move> choose(std::span<const Position> positions) override;
  Move choose_by_clock(const Position& position, const GameClock& clock) override;
  void prepare() override { other_->prepare(); }
  std::size_t preferred_batch() const override { return other_->preferred_batch(); }

 private:
  std::string name_;
  std::unique_ptr<Player> other_;
  int percent_;
  Rng rng_;
};

}  // namespace quarto
