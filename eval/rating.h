// Ratings of several players from the games between them.
//
// The model is Bradley and Terry's (1952) in Elo units: the expected score of player i against player j is 1 / (1 +
// 10^(-(r_i - r_j) / 400)), and a draw is half a win and half a loss. The ratings maximise the likelihood. They exist
// and are unique, up to a common shift, unless the players can be split into two groups of which one never took a point
// off the other (D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32, 2004).
// Imaginary drawn pairs exclude that case: one for every two players, spread evenly over the pairings that were played.
// So a score of 100% gives a large rating and not an infinite one; with enough games the effect is far inside the
// interval. Newton's method finds the maximum of the log-likelihood, which is concave. Hunter's iteration has the same
// limit, but is slow between groups with few points across.
//
// Intervals come from the Bayesian bootstrap (D. B. Rubin, Annals of Statistics 9, 1981): many times each opening gets
// a random, exponentially distributed weight and the ratings are computed again. The middle 95% is the interval. The
// unit is the opening, which is the same in pair k of every pairing: neither the two games of a pair nor the pairs from
// one opening are independent. The imaginary pairs have their own weight, so that the rating of a player who won every
// game is not certain.
//
// One number per player cannot express that A beats B, B beats C and C beats A: see Ratings::misfit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "eval/statistics.h"

namespace quarto {

// The games cannot be rated. The message names the players.
class RatingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// No chain of games links some two players, as in an unfinished round robin.
class NotLinked : public RatingError {
 public:
  using RatingError::RatingError;
};

// The games between two players, given by their indices in the list of names. Points are those of `a`.
struct Pairing {
  std::size_t a = 0, b = 0;
  std::vector<PairScore> pairs;  // at least one; pair k of every pairing is from the same opening
};

struct RatingOptions {
  // The player with rating 0; without one the mean rating is 0.
  std::optional<std::size_t> anchor{};
  double prior_pairs = 1;  // imaginary drawn pairs for every two players, > 0
  int samples = 1000;      // of the bootstrap, >= 1
  std::uint64_t seed = 0;
};

struct PlayerRating {
  double elo = 0;
  Interval interval{0, 0};  // 95%, of the difference to the anchor; zero width for the anchor
  double score = 0;         // points per game, 0..1
  int wins = 0, draws = 0, losses = 0;
  int games() const { return wins + draws + losses; }
};

struct Ratings {
  std::vector<PlayerRating> players;  // in the order of the names
  // The root mean square, over the pairings, of the difference between the score and the score that the ratings
  // predict, in points per game. Chance causes some of it. Much more means that the order depends on which players
  // meet.
  double misfit = 0;
  // The share of the bootstrap's samples in which i is rated above j, 0..1.
  double above(std::size_t i, std::size_t j) const { return above_[i * players.size() + j]; }

  std::vector<double> above_;
};

// Throws RatingError for fewer than two players, and for a pairing without games or of a player with itself; NotLinked;
// std::invalid_argument for options out of range. Deterministic. Thread-safe.
Ratings rate(std::span<const std::string> names, std::span<const Pairing> pairings, const RatingOptions& options = {});

}  // namespace quarto
