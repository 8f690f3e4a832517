#include "mcts/root_strategy.h"

#include <bit>
#include <tuple>

#include "base/index.h"
#include "mcts/forced.h"

namespace quarto {
namespace {

// Exact if proven, else the mean of the visits; 0 without any.
float value_of(const RootView& root, int slot) {
  const EdgeRef edge{0, slot};
  if (const auto proven = root.tree.proven(edge)) return static_cast<float>(*proven);
  return root.tree.visits(edge) > 0 ? root.tree.mean(edge) : 0;
}

}  // namespace

int most_visited(const RootView& root, Mask among) {
  const auto rank = [&](int slot) {
    return std::tuple(root.tree.visits({0, slot}), value_of(root, slot), root.tree.prior({0, slot}));
  };
  int best = std::countr_zero(among);
  for (const int s : BitsOf(among)) {
    if (rank(s) > rank(best)) best = s;
  }
  return best;
}

RootStrategy::RootStrategy(const SearchConfig& config, PolicyTarget by_default)
    : config_(config), target_(config.target == PolicyTarget::automatic ? by_default : config.target) {}

std::array<gumbel::Arm, kMoves> RootStrategy::arms(const RootView& root) const {
  std::array<gumbel::Arm, kMoves> result{};
  for (int s = 0; s < root.node().slots; ++s) {
    const EdgeRef edge{0, s};
    gumbel::Arm& a = result[idx(s)];
    a.prior = static_cast<double>(clean_prior(root, s));
    a.visits = root.tree.visits(edge);
    const auto proven = root.tree.proven(edge);
    a.known = proven || a.visits > 0;
    if (proven) {
      a.q = static_cast<double>(*proven);
    } else if (a.visits > 0) {
      a.q = root.tree.bounded() ? static_cast<double>(root.tree.mean(edge))
                                : static_cast<double>(root.tree.value_sum(edge)) / a.visits;
    }
  }
  return result;
}

gumbel::PerMove RootStrategy::target(PolicyTarget which, const RootView& root, Mask among) const {
  if (which == PolicyTarget::completed_q) {
    return gumbel::improved_policy(arms(root), among, static_cast<double>(root.value()), scale());
  }
  if (which == PolicyTarget::pruned) {
    auto noisy = arms(root);
    for (const int s : BitsOf(among)) noisy[idx(s)].prior = static_cast<double>(root.tree.prior({0, s}));
    const int total = root.node().visits;
    return pruned_visits(noisy, among, config_.forced_playouts, total,
                         static_cast<double>(PuctParameters(config_).exploration(static_cast<float>(total))));
  }
  gumbel::PerMove visits{};
  for (const int s : BitsOf(among)) visits[idx(s)] = root.tree.visits({0, s});
  return visits;
}

std::unique_ptr<RootStrategy> make_root_strategy(const SearchConfig& config) {
  return config.root == RootSelection::gumbel ? make_gumbel_root(config) : make_puct_root(config);
}

}  // namespace quarto
