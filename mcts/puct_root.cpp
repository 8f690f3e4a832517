// PUCT at the root, as in AlphaZero: Dirichlet noise on the priors, and forced playouts if configured (mcts/forced.h).
#include "base/index.h"
#include "mcts/forced.h"
#include "mcts/root_strategy.h"

namespace quarto {
namespace {

class PuctRoot final : public RootStrategy {
 public:
  explicit PuctRoot(const SearchConfig& config) : RootStrategy(config, PolicyTarget::visits), puct_(config) {}

  void reset() override { forcing_ = noisy_priors_ = false; }

  void add_noise(Tree& tree, Rng& rng) override {
    forcing_ = config_.forced_playouts > 0;
    if (noisy_priors_ || config_.noise_fraction == 0) return;
    noisy_priors_ = true;
    const int n = tree.node(0).slots;
    for (int s = 0; s < n; ++s) clean_priors_[idx(s)] = tree.prior({0, s});
    std::array<double, kMoves> noise{};
    double sum = 0;
    for (int s = 0; s < n; ++s) sum += noise[idx(s)] = rng.gamma(config_.dirichlet_alpha / n);
    if (!(sum > 0)) return;  // every draw underflowed
    std::array<float, kMoves> priors{};
    for (int s = 0; s < n; ++s) {
      priors[idx(s)] = static_cast<float>((1 - config_.noise_fraction) * static_cast<double>(clean_priors_[idx(s)]) +
                                          config_.noise_fraction * noise[idx(s)] / sum);
    }
    tree.set_priors(0, {priors.data(), idx(n)});
  }

  int choose(const RootView& root) override {
    if (forcing_) {
      for (const int s : BitsOf(root.undecided())) {
        const EdgeRef edge{0, s};
        const int visits = root.tree.visits(edge);
        if (visits > 0 && visits < forced_visits(config_.forced_playouts, static_cast<double>(root.tree.prior(edge)),
                                                 root.node().visits)) {
          return s;
        }
      }
    }
    return root.tree.choose(0, puct_);
  }

  int best(const RootView& root, Mask among) const override { return most_visited(root, among); }

  gumbel::PerMove sampling_weights(const RootView& root, Mask among) const override {
    return RootStrategy::target(PolicyTarget::visits, root, among);
  }

 private:
  PuctParameters puct_;
  bool forcing_ = false;
};

}  // namespace

std::unique_ptr<RootStrategy> make_puct_root(const SearchConfig& config) { return std::make_unique<PuctRoot>(config); }

}  // namespace quarto
