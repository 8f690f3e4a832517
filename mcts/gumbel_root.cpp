// Planning with Gumbel at the root: sequential halving by noise + logit + sigma(completed q) (mcts/gumbel.h).
#include "base/index.h"
#include "mcts/root_strategy.h"

namespace quarto {
namespace {

class GumbelRoot final : public RootStrategy {
 public:
  explicit GumbelRoot(const SearchConfig& config) : RootStrategy(config, PolicyTarget::completed_q) {}

  void reset() override {
    noisy_ = false;
    gumbels_ = {};
    planned_ = 0;
  }

  void add_noise(Tree& tree, Rng& rng) override {
    if (noisy_) return;
    noisy_ = true;
    for (int s = 0; s < tree.node(0).slots; ++s) gumbels_[idx(s)] = gumbel::draw(rng);
    planned_ = 0;
  }

  // Visits kept from the last move count: the halving spends those that are missing, and scores by all.
  void plan(const RootView& root, int simulations) override {
    if (planned_ == simulations) return;
    planned_ = simulations;
    halving_ = gumbel::Halving(scores(root, root.open()), root.undecided(), config_.gumbel_considered,
                               simulations - root.node().visits);
  }

  // A proven draw is known exactly: it stays in the scores, but no visit is spent on it.
  int choose(const RootView& root) override { return halving_.next(scores(root, root.open()), root.undecided()); }

  // The best-scored of the moves that got through the halving. Proven draws cannot drop out: their value needs no
  // visits.
  int best(const RootView& root, Mask among) const override {
    if (root.tree.proven(NodeIndex{0})) return most_visited(root, among);
    Mask finalists = 0;
    if (planned_ > 0) finalists = static_cast<Mask>(halving_.finalists(among) | (among & root.node().drawn()));
    return gumbel::best_of(scores(root, among), finalists ? finalists : among);
  }

  bool best_is_a_sample() const override { return noisy_; }

  gumbel::PerMove sampling_weights(const RootView& root, Mask among) const override {
    return RootStrategy::target(PolicyTarget::completed_q, root, among);
  }

 private:
  gumbel::PerMove scores(const RootView& root, Mask among) const {
    const auto known = arms(root);
    const gumbel::PerMove logits = gumbel::logits(known);
    gumbel::PerMove scores = gumbel::transformed_q(known, among, static_cast<double>(root.value()), scale());
    for (const int s : BitsOf(among)) scores[idx(s)] += logits[idx(s)] + gumbels_[idx(s)];
    return scores;
  }

  bool noisy_ = false;
  gumbel::PerMove gumbels_{};  // by slot: the noise; zero without it
  gumbel::Halving halving_;
  int planned_ = 0;  // the simulations that the halving was planned for; 0: it has not been planned
};

}  // namespace

std::unique_ptr<RootStrategy> make_gumbel_root(const SearchConfig& config) {
  return std::make_unique<GumbelRoot>(config);
}

}  // namespace quarto
