// The parameters of self-play.
#pragma once

#include <cstdint>
#include <string>

#include "base/fields.h"
#include "base/precision.h"
#include "mcts/config.h"

namespace quarto {

struct SelfPlayConfig {
  int simulations = 64;       // per move
  int threads = 0;            // 0: one per core
  int games_in_flight = 0;    // of a group and version of the weights: the largest batch of a step; 0: by the device
  int batches_in_flight = 0;  // groups of a thread; above 1, it searches while the device computes; 0: by the device
  PrecisionChoice precision = PrecisionChoice::automatic;
  bool device_proofs = false;   // on the device that evaluates, with its proofs (Evaluator::new_proofs())
  int cache = -1;               // entries of the evaluation cache of each version of the weights; 0: no cache; -1:
                                // cache_entries() (selfplay/decorators.h)
  bool random_symmetry = true;  // evaluate a random image of each position, unless the network is equivariant

  // Playout-cap randomisation (KataGo; Wu 2019). This share of the moves is searched with `simulations` and noise, and
  // makes a sample. The other moves are searched with `fast_simulations` and without noise, and make no sample.
  double full_share = 1;
  int fast_simulations = 16;
  // This share of the games begins from a position reached by random play, with 1 to `random_start_pieces` pieces on
  // the board. The samples then also cover positions that two good players would not reach.
  double random_starts = 0;
  int random_start_pieces = 12;
  std::string random_start_weights{};  // by pieces on the board (selfplay/piece_weights.h)
  // This share of a game's samples is distributed over its positions in proportion to the value that the network's
  // policy would lose there, as estimated by the search. The rest is distributed evenly. The policy then learns some
  // positions several times and others not at all; the outcome is learned once from each. (After KataGo's policy
  // surprise weighting, which uses a divergence of the policies. In Quarto many moves have equal values, so this uses
  // the value.)
  double surprise = 0;
  std::string surprise_weights{};  // of what a position would lose, by pieces on the board (selfplay/piece_weights.h)
  // In a position whose value the search has proved, this share of the moves is drawn at random from those that do not
  // lose at once. Players who make no mistakes reach few positions that are won or lost, and the network must know
  // these too (docs/experiments/proof-search.md). The samples so far keep the proven value as their outcome.
  double explore = 0.5;
  bool stop_when_proven = false;  // end a game when the search has proved the value of its position
  // The numbers in the place of zeros, where the processor evaluates (for a GPU: train/machine.h).
  int thread_count() const;
  int games_a_group() const { return games_in_flight > 0 ? games_in_flight : 64; }
  int groups_a_thread() const { return batches_in_flight > 0 ? batches_in_flight : 1; }
  std::uint64_t games_at_once() const;  // of all threads
  void visit(FieldVisitor& v);
};

// The defaults of self-play's search: those of SearchConfig but for less proof search, which gives more games in the
// same time (docs/experiments/proof-search.md).
inline SearchConfig self_play_search() {
  SearchConfig search;
  search.proof_nodes = 100;
  search.proof_squares = 9;
  return search;
}

}  // namespace quarto
