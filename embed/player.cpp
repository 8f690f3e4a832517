#include "embed/player.h"

#include <bit>
#include <optional>
#include <stdexcept>

#include "env/canonical.h"
#include "light/evaluator.h"

namespace quarto::embed {

struct Player::Impl {
  Impl(light::LightNetwork network, const PlayerOptions& given)
      : info(std::move(network.info)), options(given), evaluator(std::move(network.kernel)) {
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
  Solver& solver() {
    if (!exact) exact.emplace(SolverOptions{.table_bytes = options.table_bytes, .book = options.book});
    return *exact;
  }

  light::NetworkInfo info;
  PlayerOptions options;
  PairsEvaluator evaluator;
  std::optional<Solver> exact;
};

Player Player::load(const std::filesystem::path& file, const PlayerOptions& options) {
  return Player(light::load_network_file(file), options);
}
Player::Player(light::LightNetwork network, const PlayerOptions& options)
    : impl_(std::make_unique<Impl>(std::move(network), options)) {}
Player::~Player() = default;
Player::Player(Player&&) noexcept = default;
Player& Player::operator=(Player&&) noexcept = default;

Move Player::choose(const Position& position) {
  impl_->require_ours(position);
  if (std::popcount(position.empty()) > impl_->options.exact_squares)
    return embed::think(impl_->evaluator, position, {.simulations = impl_->options.simulations}).best;
  // In the canonical image, so that images of a position get images of the move.
  const CanonicalForm form = canonical_form(position);
  const MoveSolution solution = impl_->solver().solve_moves(form.position);
  return apply(inverse(form.symmetry, position.rules()), first_keeping_move(form.position, solution).value(),
               position.rules());
}

Evaluation Player::evaluate(const Position& position) { return evaluate({&position, 1}).front(); }

std::vector<Evaluation> Player::evaluate(std::span<const Position> positions) {
  for (const Position& p : positions) impl_->require_ours(p);
  std::vector<Evaluation> out(positions.size());
  quarto::evaluate(impl_->evaluator, positions, out);
  return out;
}

Thought Player::think(const Position& position, const ThinkLimits& limits) {
  impl_->require_ours(position);
  return embed::think(impl_->evaluator, position, limits);
}

MoveSolution Player::solve(const Position& position, const SolveLimits& limits) {
  return impl_->solver().solve_moves(position, limits);
}

const light::NetworkInfo& Player::info() const { return impl_->info; }
const PlayerOptions& Player::options() const { return impl_->options; }
Evaluator& Player::evaluator() { return impl_->evaluator; }

}  // namespace quarto::embed
