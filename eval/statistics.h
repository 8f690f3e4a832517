// eval: agreement, matches, ratings, exploitability, study: numbers only; the suites
// Uses: base, env, solver, mcts, light, data, store, play.
// Promises: Functions return structs and print nothing. The same seed gives the same figures on any number of threads,
// if the evaluator does not depend on the batch. (In matches of players with chance also the number of games side by
// side must be the same; it does not depend on the number of threads.)
//
// This header: the statistics that the figures need.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace quarto {

// The 97.5% quantile of the normal distribution: two-sided intervals of 95%.
inline constexpr double kZ95 = 1.959963984540054;

struct Interval {
  double low = 0, high = 1;
};

// E. B. Wilson's score interval (1927) for a share. `successes` need not be whole: the exact expectation of a random
// player is a sum of shares. 0 <= successes <= n; n == 0 gives [0, 1].
//
// `variance_ratio` scales the variance for scores that are not yes or no: the variance of one observation divided by
// that of a yes-or-no observation with the same mean.
Interval wilson(double successes, double n, double z = kZ95, double variance_ratio = 1.0);

// A share as hits of n. `hits` need not be whole (see wilson()).
struct Share {
  double hits = 0;
  std::size_t n = 0;

  void add(double hit) {
    hits += hit;
    ++n;
  }
  double value() const { return n == 0 ? 0 : hits / static_cast<double>(n); }  // 0..1; 0 if n is 0
  Interval interval() const { return wilson(hits, static_cast<double>(n)); }   // 95%
};

// Two games from one opening with the seats swapped: the points of the first player in each: 1 win, 0.5 draw, 0 loss.
struct PairScore {
  double first = 0, second = 0;
  double mean() const { return (first + second) / 2; }
};

// An Elo difference: it predicts a score of 1 / (1 + 10^(-elo / 400)).
struct EloEstimate {
  double score = 0.5;  // points per game, 0..1
  Interval score_interval;
  // Each is absent where it would be infinite: for a score of 0 or 1 there is only a bound.
  std::optional<double> elo, low, high;
};

// The 95% interval comes from the scores of *pairs* (five possible values: "pentanomial"), because the two games of a
// pair share their opening. It is Wilson's interval with the pairs' variance in place of a coin's. One imaginary pair
// with the variance of a coin is added, so that a short run of equal results does not give a zero variance.
EloEstimate estimate_elo(std::span<const PairScore> pairs);

double elo_to_score(double elo);
// Absent for scores of 0 and 1.
std::optional<double> score_to_elo(double score);

}  // namespace quarto
