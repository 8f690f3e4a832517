// mcts: tree search over an evaluator. May use `base` and `env`. Promises: it never asks for anything but the rules and
// the evaluator's opinion (no oracle), a proven value is a true value, and the same seed with the same evaluations
// grows the same tree.
//
// This header: every parameter of the search, with its unit and where it comes from.
#pragma once

#include "base/config.h"

namespace quarto {

struct SearchConfig {
  // PUCT (Rosin, 2011; Silver et al., 2017): the move with the greatest
  //     Q(m) + c(N) * P(m) * sqrt(N) / (1 + n(m)),    c(N) = c_puct + c_puct_growth * ln((N + c_puct_base + 1) /
  //     c_puct_base)
  // is tried next; N counts the visits of the node, n(m) those of the move, Q is a mean value in -1..1. The growth term
  // is that of AlphaZero's published pseudocode (Silver et al., 2018), where it is 1; 0 leaves it out.
  double c_puct = 1.25;
  double c_puct_growth = 0;
  double c_puct_base = 19652;  // visits

  // First play urgency: the Q of an untried move is the node's own mean less this times sqrt(sum of the priors of the
  // moves tried) (Leela Zero; KataGo, Wu 2019). In units of value. The root has its own, so that noise can be heard.
  double fpu_reduction = 0.2;
  double root_fpu_reduction = 0;

  // Root noise: P <- (1 - noise_fraction) * P + noise_fraction * Dirichlet(dirichlet_alpha / moves, ...). The *total*
  // concentration is fixed and shared by the moves that are left (KataGo; AlphaZero chose alpha about 10 / moves).
  double dirichlet_alpha = 10;
  double noise_fraction = 0.25;

  // Moves are drawn with probability proportional to visits^(1 / temperature); 0 plays the best move.
  double temperature = 1;
  int temperature_plies = 16;  // plies (a give or a place each) from the start of the game
  double final_temperature = 0;

  // One ply of lookahead by the masks of the rules: a piece in hand that wins is a proven win, a give that the receiver
  // wins with is refuted, a give without a safe piece is a proven loss, filling the board is a proven draw. These are
  // rules of the game, not an oracle. Off: such things are found by reaching the end of the game.
  bool tactics = true;
  // Keep the statistics of the move played when the game goes on.
  bool tree_reuse = true;
  // Search the canonical image of the root and map the moves back: all 12,288 images of a position then get the same
  // search, move for move.
  bool canonical = true;

  double temperature_at(int ply) const { return ply < temperature_plies ? temperature : final_temperature; }

  void visit(FieldVisitor& v);
};

}  // namespace quarto
