#include "mcts/config.h"

namespace quarto {

void SearchConfig::visit(FieldVisitor& v) {
  v.field("root", root, "how the root selects moves");
  v.field("gumbel_considered", gumbel_considered, "moves that share the simulations at a Gumbel root", {1, 16});
  v.field("gumbel_visit", gumbel_visit, "visits added to the most of any move in the weight of values", {0, 1e6});
  v.field("gumbel_scale", gumbel_scale, "weight of values against logits", {0, 1e3});
  v.field("target", target, "the policy to learn; auto: visits for puct, completed_q for gumbel");
  v.field("c_puct", c_puct, "weight of the exploration term against the value", {0, 100});
  v.field("c_puct_growth", c_puct_growth, "weight of AlphaZero's logarithmic growth of c_puct; 0: none", {0, 100});
  v.field("c_puct_base", c_puct_base, "visits at which that growth sets in", {1, 1e9});
  v.field("fpu_reduction", fpu_reduction, "first play urgency: below the node's mean by this at most", {0, 2});
  v.field("root_fpu_reduction", root_fpu_reduction, "the same at the root", {0, 2});
  v.field("dirichlet_alpha", dirichlet_alpha, "total concentration of the root noise, shared by the moves",
          {1e-3, 1e6});
  v.field("noise_fraction", noise_fraction, "share of noise in the root's priors", {0, 1});
  v.field("forced_playouts", forced_playouts, "k of KataGo's forced playouts at a noisy root; 0: none", {0, 100});
  v.field("temperature", temperature, "for choosing moves early in a game: visits^(1/temperature); 0: the best",
          {0, 100});
  v.field("temperature_plies", temperature_plies, "plies (a give or a place each) that count as early", {0, 32});
  v.field("final_temperature", final_temperature, "the temperature afterwards", {0, 100});
  v.field("tactics", tactics, "one ply of lookahead by the masks of the rules");
  v.field("reply_tactics", reply_tactics, "one ply more of it: places and gives after which nothing safe is left");
  v.field(
      "proof_nodes", proof_nodes,
      "nodes of proof search for each question at a leaf, a quarter of them for each empty square above nine; 0: none",
      {0, kMostProofNodes});
  v.field("proof_squares", proof_squares, "leaves with at most so many empty squares are asked about", {0, 16});
  v.field("proof_growth", proof_growth, "asked again at this many visits, its square, ...; 0 or 1: not again",
          {0, 1e6});
  v.field("oracle_squares", oracle_squares, "exact values at leaves with at most so many empty squares; 0: none",
          {0, 16});
  v.field("tree_reuse", tree_reuse, "keep the statistics of the move played");
  v.field("canonical", canonical, "search the canonical image of the root");
}

}  // namespace quarto
