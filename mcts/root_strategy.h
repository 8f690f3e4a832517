// Selection at the root of a search. Interior nodes always use PUCT (Tree::choose); the root has a strategy of its own,
// which answers three questions:
//
//     choose    which move does the next simulation visit?
//     best      which move is played?
//     target    which policy is learned?
//
//                 choose                                best                      target, by default
//     Puct        PUCT on priors with Dirichlet noise,  most visits               shares of the visits
//                 forced playouts
//     Gumbel      sequential halving over moves drawn   winner of the halving     improved policy (completed q)
//                 with Gumbel noise
//
// (After mctx, where root and interior selection are arguments of the search: `mctx/_src/search.py`.) Moves are known
// by their slot in node 0 of the tree, and sets of moves are masks of slots.
#pragma once

#include <memory>
#include <optional>

#include "base/random.h"
#include "mcts/config.h"
#include "mcts/gumbel.h"
#include "mcts/tree.h"

namespace quarto {

// What a strategy sees of an expanded root.
struct RootView {
  const Tree& tree;

  const Node& node() const { return tree.node(0); }
  // For the player to act: exact if proven, else the mean of the visits.
  float value() const { return tree.mean(NodeIndex{0}); }
  // The moves that are not proven losses, or all moves if all are.
  Mask open() const {
    const Mask all = all_slots(node().slots);
    return node().lost == all ? all : static_cast<Mask>(all & ~node().lost);
  }
  // Those of them that a simulation can still say something about.
  Mask undecided() const { return tree.bounded() ? tree.worth_trying(0) : static_cast<Mask>(open() & ~node().drawn()); }
};

// Not thread-safe: belongs to one Search. Masks passed as `among` must not be empty.
class RootStrategy {
 public:
  virtual ~RootStrategy() = default;

  // Forgets noise and plans: the root is another position.
  virtual void reset() = 0;
  // Makes the search explore: once for each root, further calls do nothing. The root must have been expanded.
  virtual void add_noise(Tree& tree, Rng& rng) = 0;
  // Before simulations that end when the root has `simulations` visits. It has fewer.
  virtual void plan(const RootView& /*root*/, int /*simulations*/) {}

  // root.undecided() must not be empty.
  virtual int choose(const RootView& root) = 0;
  virtual int best(const RootView& root, Mask among) const = 0;
  // Weights of the moves of `among`, not scaled; all zero before any visit.
  gumbel::PerMove target(const RootView& root, Mask among) const { return target(target_, root, among); }

  // The noise has already drawn the move: best() is a sample.
  virtual bool best_is_a_sample() const { return false; }
  // Weights for drawing a move otherwise, as target() returns them.
  virtual gumbel::PerMove sampling_weights(const RootView& root, Mask among) const = 0;
  // The prior of a move without noise.
  float clean_prior(const RootView& root, int slot) const {
    return noisy_priors_ ? clean_priors_[static_cast<std::size_t>(slot)] : root.tree.prior({0, slot});
  }

 protected:
  RootStrategy(const SearchConfig& config, PolicyTarget by_default);

  gumbel::PerMove target(PolicyTarget which, const RootView& root, Mask among) const;
  // With clean priors.
  std::array<gumbel::Arm, kMoves> arms(const RootView& root) const;
  gumbel::Scale scale() const { return {config_.gumbel_visit, config_.gumbel_scale}; }

  SearchConfig config_;
  bool noisy_priors_ = false;                 // the tree's priors have noise; these are without it:
  std::array<float, kMoves> clean_priors_{};  // by slot

 private:
  PolicyTarget target_;
};

// The slot of `among` with the most visits; ties go to the greater value, then the greater prior, then the lower slot.
int most_visited(const RootView& root, Mask among);

std::unique_ptr<RootStrategy> make_puct_root(const SearchConfig& config);
std::unique_ptr<RootStrategy> make_gumbel_root(const SearchConfig& config);
// As config.root says.
std::unique_ptr<RootStrategy> make_root_strategy(const SearchConfig& config);

}  // namespace quarto
