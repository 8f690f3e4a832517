// One game's search: PUCT (Silver et al., 2018) with proven values (MCTS-Solver: Winands, Björnsson and Saito, 2008).
// The root selects by a strategy of its own (mcts/root_strategy.h): PUCT with noise, or Gumbel with sequential halving.
//
//     Search search(config, seed);
//     search.set_root(position);
//     while (const Question* question = search.select(100)) search.take(answer to *question);
//     game.play(search.best_move());
//     search.advance(search.best_move());
//
// A simulation walks from the root to a leaf by the PUCT formula (mcts/config.h), has the leaf evaluated, and adds the
// value to everything on the way back. What it needs to know it asks its caller (env/evaluator.h). The two phases matter once: the value changes sign on the way back across a
// *give*, because the other player places, and never across a *place*, because the same player then gives.
//
// A value that follows from the rules is proven: a child won for the mover proves its node, and a node all of whose
// moves are proven has the best of them. Refuted moves are never tried again, a proven draw counts as exactly 0 and is
// not searched below, and a proven root ends the search. With proof search (SearchConfig::proof_nodes) the tree also
// keeps bounds, moves that can be worth no more than what is in hand are not tried, and the root is proven when a move is
// proven to reach the best that the root can have.
//
// The code is in two files: search.cpp grows the tree, root.cpp reads the result at the root.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/random.h"
#include "env/evaluator.h"
#include "env/oracle.h"
#include "env/position.h"
#include "mcts/config.h"
#include "mcts/frame.h"
#include "mcts/root_strategy.h"
#include "mcts/tree.h"

namespace quarto {

// Invalid outputs of an evaluator: a prior that is negative or not finite, or a value outside -1..1. (A prior that is
// zero on every move is no error: it is taken as uniform.)
class EvaluationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the search knows of one legal move of the root. Values are for the player to act at the root, in -1..1.
struct RootMove {
  Move move;
  int visits = 0;
  float prior = 0;     // with Dirichlet noise, if there is any; 0 for a move that the rules refute
  float value = 0;     // exact if proven, else the mean of the visits within the bounds; 0 without any
  ValueBounds bounds;  // proven by the search, by answers, and by its oracle if it has one

  std::optional<Value> proven() const { return bounds.value(); }
};

// Not thread-safe; different objects may be used from different threads.
class Search {
 public:
  // The seed is for the root noise; nothing else is random. The oracle is used if and only if config.oracle_squares is
  // above zero. It must then be there (std::invalid_argument) and outlive the search.
  Search(const SearchConfig& config, std::uint64_t seed, Oracle* oracle = nullptr);

  // Forgets the tree. The position must not be terminal (std::invalid_argument).
  void set_root(const Position& position);
  // Plays a legal move (std::invalid_argument otherwise) and keeps its subtree, if so configured. The game may end by
  // it: then the root is proven, and there are no moves to ask for.
  void advance(Move move);
  const Position& root() const { return root_; }

  // Switches on what makes self-play explore, once for each root, as soon as the root has been expanded: Dirichlet
  // noise on the priors and forced playouts, or with root=gumbel the Gumbel noise. Without it a search is
  // deterministic.
  void add_noise();

  // Runs simulations until one has a question, about an image of a position at or below the root (see
  // SearchConfig::canonical). It is valid until the next call. Returns nullptr when the root has `target_simulations`
  // visits or is proven. Called again before take(), it returns the same question.
  const Question* select(int target_simulations);
  // From now on select() also returns nullptr, before its target, when `over` says so. It is asked between simulations
  // that have no question, of which there may be many. Null: never.
  void stop_when(std::function<bool()> over) { over_ = std::move(over); }
  // Takes the answer to the last select(). Throws EvaluationError, and stays as it was, for invalid outputs; throws
  // std::logic_error if there was no question.
  void take(const Answer& answer);

  bool root_proven() const { return root_proven_value().has_value(); }
  std::optional<Value> root_proven_value() const { return tree_.empty() ? judged_ : tree_.proven(NodeIndex{0}); }
  // Completed, those kept by advance() included: the visits of the root. The first one expands the root itself; a root
  // that the rules alone decide needs none.
  int simulations() const;
  // For the player to act: exact if proven, else the mean of the root's visits; 0 before the first.
  float root_value() const;
  // Every legal move, in order of move index.
  std::vector<RootMove> root_moves() const;

  // The three below agree on what proof means. Proven wins, if there are any, are the only candidates; with proofs, if
  // the root is proven, the moves proven to reach its value; otherwise all moves that are not proven losses are; if all
  // are lost, all are. They throw std::logic_error when the game is over.

  // The candidate with the most visits; ties go to the greater value, then the greater prior, then the lower index (in
  // the searched image of the root). With root=gumbel, unless the root is proven, the winner of the halving. With
  // proofs, where some moves are proven to be worth at least a draw: the same among the moves that may still win and
  // look like it (a value above 0), or, if there is none, among those moves.
  Move best_move() const;
  // The principal variation, best_move() first: in every node the most visited of the moves that reach its proven
  // value, or, if that is not known, of the moves that are not proven losses, for as long as there are visits.
  std::vector<Move> expected_line() const;
  // A candidate drawn with probability proportional to visits^(1 / temperature); temperature 0 is best_move(). With
  // root=gumbel: best_move() if there is noise, which has drawn it; else the improved policy replaces the visits.
  Move sample_move(double temperature, Rng& rng) const;
  // Indexed by move, over the candidates; which policy: SearchConfig::target. Sums to one.
  std::array<float, kMoves> policy_target() const;
  // How much less the priors, without noise, would have got than the target, by the values found: 0 (nothing to learn)
  // to 2. Moves never tried do not count. 0 also where the rules decide before any search (a win in hand, nothing safe
  // to give): nothing was evaluated.
  double prior_regret() const;

  // For tests and for measuring: the tree as it lies in memory. The searched root is node 0, if it has been expanded.
  const Tree& tree() const { return tree_; }

 private:
  // What the rules alone say of a position: its value, or else the moves worth trying.
  struct Judgement {
    std::optional<Value> value;
    Mask moves = 0;
  };
  Judgement judge(const Position& position) const;
  std::optional<Value> judge(const Position& position, Move move) const;
  void forget();
  void restart();
  // One walk down the tree, or the rest of one. False: it has ended without a question.
  bool simulate();

  // provable: the position has few enough empty squares. due: a position with so many visits is asked about again.
  bool provable(const Position& position) const;
  bool due(int visits) const;
  std::uint64_t proof_nodes(const Position& position, int visits) const;
  // Whether there is a question: about the root, or about the node that edge_ leads to.
  bool ask_about_root();
  bool ask_about_child(NodeIndex child);
  void take_bounds_of_child(ValueBounds found);
  void take_leaf(const Answer& answer);
  // What is known of the position that an edge leads to, for the player to act there.
  ValueBounds bounds_behind(EdgeRef edge) const;
  // Ends a simulation at an edge with a proven value.
  void end_at(EdgeRef edge, Value value);

  RootView root_view() const { return {tree_}; }

  // root.cpp. In the searched image, in order of index there.
  std::vector<RootMove> searched_moves() const;
  std::vector<RootMove> candidates() const;
  // Those to play one of, without chance.
  std::vector<RootMove> contenders() const;
  // The slots of those of `moves` that the root's node has.
  Mask slots_of(const std::vector<RootMove>& moves) const;
  // What choices among candidates go by: `by_slot`, or priors if that is all zero, or nothing at all.
  std::vector<double> weights_of(const std::vector<RootMove>& moves, const gumbel::PerMove& by_slot) const;

  SearchConfig config_;
  PuctParameters puct_;
  std::unique_ptr<RootStrategy> strategy_;
  Rng rng_;
  Oracle* oracle_;
  Position root_;      // as the caller gave it
  Position searched_;  // the image of it that the tree is about
  Frame frame_;        // between the two
  Tree tree_;
  std::optional<Value> judged_;  // what the rules alone say of a root that has not been expanded
  bool noise_wanted_ = false;
  std::function<bool()> over_;
  int root_asked_ = 0;  // visits of the root when it was last asked about; 0: not yet

  // The question that waits for take(). After one about a child the simulation goes on from there, so that it is
  // on_the_way_ until the next select().
  enum class About { nothing, root, child, leaf };
  About about_ = About::nothing;
  Question question_;
  bool on_the_way_ = false;
  EdgeRef edge_;  // where the simulation is; without a node: at a root that has not been expanded
  Mask leaf_moves_ = 0;
};

// Runs many searches side by side: in each step every unfinished search contributes one question, and the step's
// questions are answered in one batch, which must be able to prove if the searches ask for proofs (ProvingEvaluator).
// What the batch knows at once (by a proof, or from a cache) is taken at once and its search goes on selecting, so that
// the batch holds only what must be computed. Each search ends as `select(simulations)` does. After an exception (from
// the batch, or EvaluationError) the searches are sound and may be run again, with a new batch.
void run_searches(std::span<Search* const> searches, EvaluationBatch& batch, int simulations);

}  // namespace quarto
