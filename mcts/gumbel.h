// The mathematics of planning with Gumbel, as small pure functions over the moves of one node (Danihelka, Guez,
// Schrittwieser and Silver, "Policy improvement by planning with Gumbel", ICLR 2022; readable code in mctx).
//
// The idea. Gumbel noise on the logits draws moves without replacement from the prior (the "Gumbel top-k trick"). The
// drawn moves share the simulations by sequential halving (Karnin, Koren and Somekh, 2013): rounds of equal cost, after
// each of which the worse half drops out. What is left is the move to play, and on average it is at least as good as a
// move drawn from the prior, however few the simulations. The policy to learn is the prior moved towards the moves that
// turned out well, with the moves that were not visited completed by what the node is worth:
//
//     pi' = softmax(logits + sigma(completed q)),    sigma(q) = (c_visit + max visits) * c_scale * (q + 1) / 2
//
// Moves are known by their slot; a Mask says which of them take part, so that refuted moves can be left out.
#pragma once

#include <array>
#include <span>

#include "base/random.h"
#include "env/types.h"

namespace quarto::gumbel {

using PerMove = std::array<double, kMoves>;  // by slot; zero where nothing is said

// What is known of one move. Values are for the player to act, in -1..1.
struct Arm {
  double prior = 0;
  double q = 0;  // the mean of its visits, or exact
  int visits = 0;
  bool known = false;  // q means something: the move has been visited, or its value is proven
};

struct Scale {
  double c_visit = 50, c_scale = 1;
};

// Standard Gumbel noise: -ln(-ln(uniform)).
double draw(Rng& rng);

// ln(prior), from below bounded so that a move with a prior of zero can still be found to be good.
PerMove logits(std::span<const Arm> arms);

// What a move is taken to be worth that nobody has tried (the paper's appendix D): the value of the node, mixed with
// the q of the moves that were tried, weighted by their priors, as if the node's own opinion were one more visit.
double mixed_value(std::span<const Arm> arms, Mask among, double node_value);
// The q of known moves, the mixed value for the others.
PerMove completed_q(std::span<const Arm> arms, Mask among, double node_value);

// sigma of the completed q: in units of logits.
PerMove transformed_q(std::span<const Arm> arms, Mask among, double node_value, const Scale& scale);
// The improved policy over `among`, which must not be empty. Sums to one.
PerMove improved_policy(std::span<const Arm> arms, Mask among, double node_value, const Scale& scale);

// The slot of `among` with the greatest score, the lowest of equals. `among` must not be empty.
int best_of(const PerMove& scores, Mask among);
// The `n` slots of `among` with the greatest scores; all of them if there are no more.
Mask best_of(const PerMove& scores, Mask among, int n);

// Who is visited next. With m moves and n simulations, a round gives each of the k moves that are left
// max(1, n / (log2(m) * k)) visits, then the better half of them stays, but never fewer than two; what rounding leaves
// over goes to the last two. Sixteen moves and 200 simulations: 16 moves 3 times, 8 moves 6 times, 4 moves 12 times and
// the last two 28 times each.
class Halving {
 public:
  Halving() = default;
  // The `considered` best of `among` take part.
  Halving(const PerMove& scores, Mask among, int considered, int budget);

  // The slot to visit, given the scores as they are now: among the moves of the round with the fewest visits the one
  // with the best score. `open` are the moves worth a visit, neither refuted nor known exactly; it must not be empty. A
  // move that has left it costs nothing more. When no considered move is open, the best of the others come in.
  int next(const PerMove& scores, Mask open);

  Mask in() const { return in_; }  // the moves still in the running
  int spent(int slot) const { return spent_[static_cast<std::size_t>(slot)]; }
  // Of `among`, those that may be played: in the running, and with as many visits as any (or one less, as a search may
  // end in the middle of a sweep). Empty if `among` has none in the running.
  Mask finalists(Mask among) const;

 private:
  int round_of(int moves) const;

  std::array<int, kMoves> spent_{};
  Mask in_ = 0;
  int considered_ = 0, budget_ = 0;
  int quota_ = 0;  // visits of each move at the end of the round
};

}  // namespace quarto::gumbel
