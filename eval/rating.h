// Ratings of several players from the games that they played against each other.
//
// The model is Bradley and Terry's (1952) in Elo's units: player i is expected to score 1 / (1 + 10^(-(r_i - r_j) /
// 400)) of a point against player j, and a draw is half a win and half a loss. The ratings are those of greatest
// likelihood. They exist and are unique, up to a common shift, when the players cannot be split into two groups of
// which one never took a point off the other (D. R. Hunter, "MM algorithms for generalized Bradley-Terry models",
// Annals of Statistics 32, 2004). To make sure of that, imaginary drawn pairs are added: one for every two players,
// spread evenly over the pairings that were played. A score of 100% then gives a large rating and not an infinite one;
// where players have games enough the effect is far inside the interval. Found by Newton's method on the logarithm of
// the likelihood, which is concave; Hunter's iteration has the same limit, but is slow between groups that hardly take
// points off each other.
//
// Intervals come from the Bayesian bootstrap (D. B. Rubin, Annals of Statistics 9, 1981): again and again each opening
// is given a random weight, exponentially distributed, the ratings are computed anew, and the middle 95% is the
// interval. The unit is the opening, which is the same in pair k of every pairing: neither the two games of a pair nor
// the pairs that share an opening are independent. The imaginary pairs have a weight of their own, so that nobody's
// rating is certain because he won every game.
//
// One number per player cannot say who is good against whom: see Ratings::misfit.
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

// What cannot be rated; the message names the players.
class RatingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The games between two players, by their places in the list of names. Points are those of `a`.
struct Pairing {
  std::size_t a = 0, b = 0;
  std::vector<PairScore> pairs;  // at least one; pair k of every pairing is from the same opening
};

struct RatingOptions {
  // Whose rating is 0; without one the mean of all is 0.
  std::optional<std::size_t> anchor{};
  double prior_pairs = 1;  // imaginary drawn pairs for every two players, > 0
  int samples = 1000;      // of the bootstrap, >= 1
  std::uint64_t seed = 0;
};

struct PlayerRating {
  double elo = 0;
  Interval interval{0, 0};  // 95%, of the difference to the anchor: nothing wide for the anchor itself
  double score = 0;         // points per game, 0..1
  int wins = 0, draws = 0, losses = 0;
  int games() const { return wins + draws + losses; }
};

struct Ratings {
  std::vector<PlayerRating> players;  // in the order of the names
  // Root mean square, over the pairings, of the difference between the score and the one that the ratings predict, in
  // points per game. Chance makes some of it; much more means that the order depends on who meets whom.
  double misfit = 0;
  // Share of the bootstrap's samples in which i is rated above j, 0..1.
  double above(std::size_t i, std::size_t j) const { return above_[i * players.size() + j]; }

  std::vector<double> above_;
};

// Throws RatingError for fewer than two players, a pairing without games or of a player with himself, and when no chain
// of games links some two players; std::invalid_argument for options out of range. The same arguments give the same
// figures. Safe to call from any number of threads.
Ratings rate(std::span<const std::string> names, std::span<const Pairing> pairings, const RatingOptions& options = {});

}  // namespace quarto
