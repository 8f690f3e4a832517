// mcts: tree search with proven values, with a PUCT or a Gumbel root
// Uses: base, env.
// Promises: The search uses the rules (alone, or through a prover) and the evaluator only, unless it is given an oracle
// and oracle_squares is above zero; a proven value is exact; the same seed with the same evaluations grows the same
// tree.
//
// This header: every parameter of the search, with its unit and where it comes from.
#pragma once

#include "base/fields.h"

namespace quarto {

// How the root selects its moves (mcts/root_strategy.h). puct: the PUCT formula, as in every other node. gumbel: moves
// drawn without replacement share the simulations by sequential halving (mcts/gumbel.h; Danihelka et al., 2022); below
// the root it is PUCT.
enum class RootSelection { puct, gumbel };
constexpr auto names_of(RootSelection) {
  return std::to_array<Name<RootSelection>>({{RootSelection::puct, "puct"}, {RootSelection::gumbel, "gumbel"}});
}

// What Search::policy_target() returns. visits: shares of the visits. pruned: the same without the visits that were
// forced (SearchConfig::forced_playouts). completed_q: the improved policy of mcts/gumbel.h. automatic: visits at a
// PUCT root, completed_q at a Gumbel root.
enum class PolicyTarget { automatic, visits, pruned, completed_q };
constexpr auto names_of(PolicyTarget) {
  return std::to_array<Name<PolicyTarget>>({{PolicyTarget::automatic, "auto"},
                                            {PolicyTarget::visits, "visits"},
                                            {PolicyTarget::pruned, "pruned"},
                                            {PolicyTarget::completed_q, "completed_q"}});
}

// Nodes of one question to a prover, at most: some milliseconds, so that a search by the clock ends in time.
inline constexpr int kMostProofNodes = 100'000;
// Up to so many empty squares the question about a new leaf gets all its nodes.
inline constexpr int kFullProofSquares = 9;

struct SearchConfig {
  RootSelection root = RootSelection::puct;
  int gumbel_considered = 16;  // moves drawn at most
  // sigma(q) = (gumbel_visit + most visits of a move) * gumbel_scale * (q + 1) / 2: how far values move the policy, in
  // units of logits. The paper has 50 and 1 for board games.
  double gumbel_visit = 50;
  double gumbel_scale = 1;
  PolicyTarget target = PolicyTarget::automatic;

  // PUCT (Rosin, 2011; Silver et al., 2017): the move with the greatest
  //     Q(m) + c(N) * P(m) * sqrt(N) / (1 + n(m)),    c(N) = c_puct + c_puct_growth * ln((N + c_puct_base + 1) /
  //     c_puct_base)
  // is tried next; N counts the visits of the node, n(m) those of the move, Q is a mean value in -1..1. The growth term
  // is that of AlphaZero's published pseudocode (Silver et al., 2018), where it is 1; 0 leaves it out.
  double c_puct = 1.25;
  double c_puct_growth = 0;
  double c_puct_base = 19652;  // visits

  // First play urgency: the Q of an untried move is the node's own mean less this times sqrt(sum of the priors of the
  // moves tried) (Leela Zero; KataGo, Wu 2019). In units of value. The root has its own, so that noise has an effect.
  double fpu_reduction = 0.2;
  double root_fpu_reduction = 0;

  // Root noise: P <- (1 - noise_fraction) * P + noise_fraction * Dirichlet(dirichlet_alpha / moves, ...). The *total*
  // concentration is fixed and shared by the moves that are left (KataGo; AlphaZero chose alpha about 10 / moves).
  double dirichlet_alpha = 10;
  double noise_fraction = 0.25;

  // Forced playouts (KataGo; Wu 2019): with root noise, every move of the root that has been visited at all gets at
  // least sqrt(forced_playouts * P * N) visits. 0: none. The target `pruned` takes these visits out again. For
  // root=puct.
  double forced_playouts = 0;

  // Moves are drawn with probability proportional to visits^(1 / temperature); 0 plays the best move.
  double temperature = 1;
  int temperature_plies = 16;  // plies (a give or a place each) from the start of the game
  double final_temperature = 0;

  // One ply of lookahead by the masks of the rules: a piece in hand that wins is a proven win, a give that the receiver
  // wins with is refuted, a give without a safe piece is a proven loss, filling the board is a proven draw. These are
  // rules of the game, not an oracle. Off: such things are found by reaching the end of the game.
  bool tactics = true;
  // One ply more, by the same masks: a place that leaves the placer nothing safe to give is refuted, and a give that
  // every place of the receiver answers in that way is a proven win. Needs tactics.
  bool reply_tactics = true;
  // Proof at the leaves (docs/search.md): a prover (env/prover.h) gets so many nodes for each of two questions, at
  // least a draw? a win?, about every new leaf with at most proof_squares empty squares, but a quarter of them for each
  // one above kFullProofSquares, where answers are rare. A position in the tree gets as many for each of its visits, at
  // proof_growth, proof_growth^2, ... of them (0: not again), 100,000 at most. The tree keeps bounds, and a search ends
  // when a move reaches the best that the root can have. A prover goes by the rules alone and is not an oracle. 0: no
  // prover, no bounds. docs/experiments/proof-search.md has what each number of squares brings.
  int proof_nodes = 2000;
  int proof_squares = 11;
  int proof_growth = 4;
  // Leaves with at most so many empty squares have their value from the oracle that the search was given; 0: no oracle
  // (env/oracle.h). A network trained with it is of track `distilled`.
  int oracle_squares = 0;
  // Keep the statistics of the move played when the game goes on.
  bool tree_reuse = true;
  // Search the canonical image of the root and map the moves back: all 12,288 images of a position then get the same
  // search, move for move.
  bool canonical = true;

  double temperature_at(int ply) const { return ply < temperature_plies ? temperature : final_temperature; }

  void visit(FieldVisitor& v);
};

}  // namespace quarto
