#include "mcts/rollout.h"

#include <stdexcept>

#include "env/random_play.h"

namespace quarto {
namespace {

class RolloutBatch final : public EvaluationBatch {
 public:
  RolloutBatch(int rollouts, std::uint64_t seed) : rollouts_(rollouts), seed_(seed) {}

  Status add(const Position& position, Evaluation& out) override {
    out = Evaluation{};
    const Mask moves = sensible_moves(position);
    for (const int m : BitsOf(moves)) {
      out.prior[static_cast<std::size_t>(m)] = 1.0F / static_cast<float>(std::popcount(moves));
    }
    Rng rng(mix_seed(seed_, position.key()));
    int won = 0, lost = 0;
    for (int i = 0; i < rollouts_; ++i) {
      const Value outcome = play_out(position, rng);
      won += outcome == Value::win;
      lost += outcome == Value::loss;
    }
    const auto share = [this](int n) { return static_cast<float>(n) / static_cast<float>(rollouts_); };
    out.win = share(won);
    out.draw = share(rollouts_ - won - lost);
    out.loss = share(lost);
    return Status::known;
  }
  std::size_t size() const override { return 0; }
  void compute() override {}

 private:
  int rollouts_;
  std::uint64_t seed_;
};

}  // namespace

Mask sensible_moves(const Position& position) {
  const Mask legal = position.legal_moves();
  if (position.is_terminal()) return legal;
  if (position.has_hand()) {
    const Mask winning = position.winning_squares(position.hand());
    return winning ? winning : legal;
  }
  const Mask safe = static_cast<Mask>(legal & ~position.losing_gives());
  return safe ? safe : legal;
}

Value play_out(Position position, Rng& rng) {
  const int player = position.player_to_act();
  while (!position.is_terminal()) {
    position.play({position.phase(), static_cast<std::uint8_t>(random_bit(sensible_moves(position), rng))});
  }
  const Value value = position.terminal_value();
  return position.player_to_act() == player ? value : -value;
}

RolloutEvaluator::RolloutEvaluator(int rollouts, std::uint64_t seed) : rollouts_(rollouts), seed_(seed) {
  if (rollouts < 1) throw std::invalid_argument("a rollout evaluator needs at least one playout a position");
}

std::unique_ptr<EvaluationBatch> RolloutEvaluator::new_batch() {
  return std::make_unique<RolloutBatch>(rollouts_, seed_);
}

}  // namespace quarto
