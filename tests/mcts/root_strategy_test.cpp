// Root strategies by themselves, on a root built by hand.
#include "mcts/root_strategy.h"

#include <gtest/gtest.h>

#include <numeric>

namespace quarto {
namespace {

constexpr Mask kAll = 0x000F;

// Four gives with priors 0.4, 0.3, 0.2, 0.1; the root's own evaluation is 0.
Tree four_moves() {
  Tree tree;
  const std::array<float, 4> priors = {0.4F, 0.3F, 0.2F, 0.1F};
  tree.add(EdgeRef{}, Phase::give, kAll, priors, {0, 0});
  return tree;
}

SearchConfig config_of(RootSelection root, PolicyTarget target = PolicyTarget::automatic) {
  SearchConfig config;
  config.root = root;
  config.target = target;
  return config;
}

// Visits as the strategy chooses them until the root has `simulations`; every visit of slot s has value values[s].
void simulate(RootStrategy& strategy, Tree& tree, int simulations, const std::array<float, 4>& values) {
  strategy.plan({tree}, simulations);
  while (tree.node(0).visits < simulations) {
    const int slot = strategy.choose({tree});
    tree.back_up({0, slot}, {values[static_cast<std::size_t>(slot)], 1});
  }
}

TEST(RootStrategy, BothFindTheBestMoveAndLearnIt) {
  for (const RootSelection root : {RootSelection::puct, RootSelection::gumbel}) {
    Tree tree = four_moves();
    const auto strategy = make_root_strategy(config_of(root));
    simulate(*strategy, tree, 200, {-0.5F, -0.5F, 0.5F, -0.5F});
    const RootView view{tree};
    EXPECT_EQ(strategy->best(view, kAll), 2) << name_of(root);
    const gumbel::PerMove target = strategy->target(view, kAll);
    const double sum = std::accumulate(target.begin(), target.end(), 0.0);
    EXPECT_GT(target[2] / sum, 0.5) << name_of(root);
  }
}

TEST(RootStrategy, TheTargetDoesNotDependOnTheStrategy) {
  for (const PolicyTarget target : {PolicyTarget::visits, PolicyTarget::pruned, PolicyTarget::completed_q}) {
    Tree tree = four_moves();
    simulate(*make_root_strategy(config_of(RootSelection::puct)), tree, 50, {0.1F, 0.2F, 0.3F, 0.4F});
    const RootView view{tree};
    EXPECT_EQ(make_root_strategy(config_of(RootSelection::puct, target))->target(view, kAll),
              make_root_strategy(config_of(RootSelection::gumbel, target))->target(view, kAll));
  }
}

TEST(RootStrategy, NoiseIsForgottenOnReset) {
  for (const RootSelection root : {RootSelection::puct, RootSelection::gumbel}) {
    Tree noisy = four_moves();
    Rng rng(5);
    const auto strategy = make_root_strategy(config_of(root));
    strategy->add_noise(noisy, rng);
    const RootView view{noisy};
    EXPECT_EQ(strategy->clean_prior(view, 0), 0.4F) << name_of(root);
    EXPECT_EQ(strategy->best_is_a_sample(), root == RootSelection::gumbel);
    strategy->reset();
    EXPECT_FALSE(strategy->best_is_a_sample());

    Tree fresh = four_moves();
    EXPECT_EQ(strategy->clean_prior({fresh}, 0), fresh.prior({0, 0}));
    const auto other = make_root_strategy(config_of(root));
    Tree same = four_moves();
    simulate(*strategy, fresh, 40, {0, 0, 0, 0});
    simulate(*other, same, 40, {0, 0, 0, 0});
    for (int s = 0; s < 4; ++s) EXPECT_EQ(fresh.visits({0, s}), same.visits({0, s})) << name_of(root);
  }
}

TEST(RootStrategy, ForcedPlayoutsVisitWhatPuctWouldLeave) {
  SearchConfig config = config_of(RootSelection::puct);
  config.noise_fraction = 0;
  config.forced_playouts = 2;
  const auto visits_of_last = [&](bool noise) {
    Tree tree = four_moves();
    const auto strategy = make_root_strategy(config);
    Rng rng(1);
    if (noise) strategy->add_noise(tree, rng);
    simulate(*strategy, tree, 400, {0.5F, -0.5F, -0.5F, -0.5F});
    return tree.visits({0, 3});
  };
  EXPECT_GT(visits_of_last(true), visits_of_last(false));
}

}  // namespace
}  // namespace quarto
