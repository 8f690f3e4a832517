#include "play/light_player.h"

#include <stdexcept>

#include "env/canonical.h"
#include "light/evaluator.h"

namespace quarto {

struct LightPlayer::Impl {
  Impl(light::LightNetwork network, const LightPlayerOptions& given)
      : info(std::move(network.info)),
        options(given),
        evaluator(std::move(network.kernel)),
        solver({.table_bytes = given.table_bytes, .books = given.books}) {
    if (options.simulations < 0 || options.simulations > kMostSimulations)
      throw std::invalid_argument("simulations must be from 0 to " + std::to_string(kMostSimulations));
    if (options.exact_squares < 0 || options.exact_squares > kSquares)
      throw std::invalid_argument("exact_squares must be from 0 to 16");
    // Tables that are made when first used: milliseconds, better spent now than on the first move.
    (void)canonical_form(Position(info.rules));
  }
  void require_ours(const Position& position) const {
    if (position.rules() != info.rules) throw std::invalid_argument("the position is not under this network's rules");
    if (position.is_terminal()) throw std::invalid_argument("the game is over");
  }

  light::NetworkInfo info;
  LightPlayerOptions options;
  PairsEvaluator evaluator;
  SharedSolver solver;
};

LightPlayer LightPlayer::load(const std::filesystem::path& file, const LightPlayerOptions& options) {
  return LightPlayer(light::load_network_file(file), options);
}
LightPlayer::LightPlayer(light::LightNetwork network, const LightPlayerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(network), options)) {}
LightPlayer::~LightPlayer() = default;
LightPlayer::LightPlayer(LightPlayer&&) noexcept = default;
LightPlayer& LightPlayer::operator=(LightPlayer&&) noexcept = default;

Choice LightPlayer::choose(const Position& position, const ChoiceLimits& limits) {
  impl_->require_ours(position);
  return quarto::choose(impl_->evaluator, &impl_->solver, position, limits);
}

Move LightPlayer::choose(const Position& position) { return choose(position, limits()).move; }

Move LightPlayer::choose(const Position& position, const GameClock& clock) {
  ChoiceLimits by_clock = limits();
  by_clock.clock = clock;
  if (by_clock.simulations == 0) by_clock.simulations = kMostSimulations;
  return choose(position, by_clock).move;
}

Evaluation LightPlayer::evaluate(const Position& position) { return evaluate({&position, 1}).front(); }

std::vector<Evaluation> LightPlayer::evaluate(std::span<const Position> positions) {
  for (const Position& p : positions) impl_->require_ours(p);
  std::vector<Evaluation> out(positions.size());
  quarto::evaluate(impl_->evaluator, positions, out);
  return out;
}

Thought LightPlayer::think(const Position& position, const ThinkLimits& limits) {
  impl_->require_ours(position);
  return quarto::think(impl_->evaluator, position, limits, impl_->options.search);
}

MoveSolution LightPlayer::solve(const Position& position, const SolveLimits& limits) {
  return impl_->solver.solve_moves(position, limits);
}

const light::NetworkInfo& LightPlayer::info() const { return impl_->info; }
const LightPlayerOptions& LightPlayer::options() const { return impl_->options; }
ChoiceLimits LightPlayer::limits() const {
  ChoiceLimits limits;
  limits.simulations = impl_->options.simulations;
  limits.exact_squares = impl_->options.exact_squares;
  limits.sharp = impl_->options.sharp;
  limits.search = impl_->options.search;
  return limits;
}
Evaluator& LightPlayer::evaluator() { return impl_->evaluator; }

}  // namespace quarto
