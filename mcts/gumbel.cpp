#include "mcts/gumbel.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/index.h"
#include "base/portable_math.h"

namespace quarto::gumbel {
namespace {

constexpr double kLeastPrior = 1e-9;
constexpr double kLeastUniform = 0x1.0p-54;  // half the step of Rng::uniform(), in place of zero

constexpr Mask bit_of(int slot) { return static_cast<Mask>(1U << slot); }

// Rounds that it takes to halve so many moves down to one.
int rounds(int moves) { return moves <= 1 ? 1 : std::bit_width(static_cast<unsigned>(moves - 1)); }

}  // namespace

double draw(Rng& rng) { return -portable::log(-portable::log(std::max(rng.uniform(), kLeastUniform))); }

PerMove logits(std::span<const Arm> arms) {
  PerMove result{};
  for (std::size_t i = 0; i < arms.size(); ++i) result[i] = portable::log(std::max(arms[i].prior, kLeastPrior));
  return result;
}

double mixed_value(std::span<const Arm> arms, Mask among, double node_value) {
  double prior = 0, weighted = 0;
  int visits = 0;
  for (const int i : BitsOf(among)) {
    const Arm& a = arms[idx(i)];
    visits += a.visits;
    if (!a.known) continue;
    const double p = std::max(a.prior, kLeastPrior);
    prior += p;
    weighted += p * a.q;
  }
  if (prior == 0) return node_value;
  return (node_value + visits * weighted / prior) / (1 + visits);
}

PerMove completed_q(std::span<const Arm> arms, Mask among, double node_value) {
  const double mixed = mixed_value(arms, among, node_value);
  PerMove result{};
  for (const int i : BitsOf(among)) result[idx(i)] = arms[idx(i)].known ? arms[idx(i)].q : mixed;
  return result;
}

PerMove transformed_q(std::span<const Arm> arms, Mask among, double node_value, const Scale& scale) {
  PerMove result = completed_q(arms, among, node_value);
  int most = 0;
  for (const int i : BitsOf(among)) most = std::max(most, arms[idx(i)].visits);
  const double factor = (scale.c_visit + most) * scale.c_scale;
  for (const int i : BitsOf(among)) result[idx(i)] = factor * (result[idx(i)] + 1) / 2;
  return result;
}

PerMove improved_policy(std::span<const Arm> arms, Mask among, double node_value, const Scale& scale) {
  assert(among != 0);
  const PerMove prior = logits(arms);
  PerMove result = transformed_q(arms, among, node_value, scale);
  for (const int i : BitsOf(among)) result[idx(i)] += prior[idx(i)];
  const double greatest = result[idx(best_of(result, among))];
  double sum = 0;
  for (const int i : BitsOf(among)) sum += result[idx(i)] = portable::exp(result[idx(i)] - greatest);
  for (const int i : BitsOf(among)) result[idx(i)] /= sum;
  return result;
}

int best_of(const PerMove& scores, Mask among) {
  assert(among != 0);
  int best = std::countr_zero(among);
  for (const int i : BitsOf(among)) {
    if (scores[idx(i)] > scores[idx(best)]) best = i;
  }
  return best;
}

Mask best_of(const PerMove& scores, Mask among, int n) {
  Mask best = 0;
  for (; n > 0 && among; --n) {
    const Mask next = bit_of(best_of(scores, among));
    best |= next;
    among = static_cast<Mask>(among & ~next);
  }
  return best;
}

Halving::Halving(const PerMove& scores, Mask among, int considered, int budget)
    : in_(best_of(scores, among, considered)), considered_(std::popcount(in_)), budget_(budget) {
  quota_ = round_of(considered_);
}

int Halving::round_of(int moves) const { return std::max(1, budget_ / (rounds(considered_) * std::max(1, moves))); }

int Halving::next(const PerMove& scores, Mask open) {
  assert(open != 0);
  while (true) {
    Mask running = in_ & open;
    if (running == 0) {
      // Every move that was considered is decided: the next best take their place, in a round of their own.
      running = best_of(scores, open, std::max(1, considered_));
      in_ |= running;
      quota_ = round_of(std::popcount(running));
    }
    int fewest = quota_;
    for (const int i : BitsOf(running)) fewest = std::min(fewest, spent_[idx(i)]);
    if (fewest < quota_) {
      Mask waiting = 0;
      for (const int i : BitsOf(running)) waiting |= spent_[idx(i)] == fewest ? bit_of(i) : Mask{0};
      const int chosen = best_of(scores, waiting);
      ++spent_[idx(chosen)];
      return chosen;
    }
    in_ = best_of(scores, running, std::max(2, std::popcount(running) / 2));
    quota_ = fewest + round_of(std::popcount(in_));
  }
}

Mask Halving::finalists(Mask among) const {
  among &= in_;
  int most = 0;
  for (const int i : BitsOf(among)) most = std::max(most, spent_[idx(i)]);
  const int least = std::max(most - 1, std::min(most, 1));
  Mask result = 0;
  for (const int i : BitsOf(among)) result |= spent_[idx(i)] >= least ? bit_of(i) : Mask{0};
  return result;
}

}  // namespace quarto::gumbel
