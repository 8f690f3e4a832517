// A player with exact endgames: another player, until so few squares are empty that exact values are cheaper than any
// opinion (the solver takes microseconds with seven, milliseconds with ten).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "play/perfect.h"
#include "play/player.h"

namespace quarto {

class EndgamePlayer final : public Player {
 public:
  // Exact from `squares` empty squares on, and there sharp (play/sharp.h) or not; before that, `other` plays.
  EndgamePlayer(std::string name, std::unique_ptr<Player> other, int squares, bool sharp, const PlayerOptions& options);

  std::string name() const override { return name_; }
  // exact_choices() (play/choose.h) with few enough empty squares.
  std::vector<Move> choose(std::span<const Position> positions) override;
  std::size_t preferred_batch() const override { return other_->preferred_batch(); }
  Move choose_by_clock(const Position& position, const GameClock& clock) override;
  void prepare() override {
    memory_->solver.prepare();
    other_->prepare();
  }
  bool deterministic() const override { return other_->deterministic(); }
  bool depends_on_batch() const override { return other_->depends_on_batch(); }
  int exact_squares() const override { return std::max(squares_, other_->exact_squares()); }
  Proofs proofs() const override { return other_->proofs(); }

 private:
  std::string name_;
  std::unique_ptr<Player> other_;
  int squares_;
  bool sharp_;
  std::shared_ptr<ExactMemory> memory_;
};

}  // namespace quarto
