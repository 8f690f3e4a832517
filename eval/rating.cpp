#include "eval/rating.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.h"

namespace quarto {
namespace {

constexpr double kEloPerNat = 400 / std::numbers::ln10;

// The weighted result of two players. `points` are those of `a`, 0 < points < games.
struct Result {
  std::size_t a, b;
  double points, games;
};

double log_sigmoid(double x) { return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x)); }

double log_likelihood(std::span<const Result> results, std::span<const double> strength) {
  double sum = 0;
  for (const Result& r : results) {
    const double difference = strength[r.a] - strength[r.b];
    sum += r.points * log_sigmoid(difference) + (r.games - r.points) * log_sigmoid(-difference);
  }
  return sum;
}

// Solves m x = v for a symmetric positive definite matrix, stored by rows; overwrites m. Elimination without pivoting
// is stable for such matrices.
std::vector<double> solve(std::vector<double>& m, std::vector<double> v) {
  const std::size_t n = v.size();
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = m[i * n + k] / m[k * n + k];
      for (std::size_t j = k; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
      v[i] -= factor * v[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) v[k] -= m[k * n + j] * v[j];
    v[k] /= m[k * n + k];
  }
  return v;
}

// Computes the strengths of maximum likelihood, in nats, starting from those given. The first player's strength stays
// fixed, which determines the common shift.
void maximise(std::span<const Result> results, std::vector<double>& strength) {
  const std::size_t n = strength.size() - 1;
  double likelihood = log_likelihood(results, strength);
  for (int iteration = 0; iteration < 200; ++iteration) {
    std::vector<double> gradient(n, 0.0), curvature(n * n, 0.0);
    for (const Result& r : results) {
      const double expected = 1 / (1 + std::exp(strength[r.b] - strength[r.a]));
      const double surplus = r.points - r.games * expected, weight = r.games * expected * (1 - expected);
      if (r.a > 0) {
        gradient[r.a - 1] += surplus;
        curvature[(r.a - 1) * n + r.a - 1] += weight;
      }
      if (r.b > 0) {
        gradient[r.b - 1] -= surplus;
        curvature[(r.b - 1) * n + r.b - 1] += weight;
      }
      if (r.a > 0 && r.b > 0) {
        curvature[(r.a - 1) * n + r.b - 1] -= weight;
        curvature[(r.b - 1) * n + r.a - 1] -= weight;
      }
    }
    std::vector<double> step = solve(curvature, gradient);
    double largest = 0;
    for (const double s : step) largest = std::max(largest, std::abs(s));
    if (largest < 1e-9) return;
    // Far from the maximum a full Newton step overshoots, because the curvature there is much smaller than on the way.
    for (double scale = std::min(1.0, 3 / largest);; scale /= 2) {
      std::vector<double> next = strength;
      for (std::size_t i = 0; i < n; ++i) next[i + 1] += scale * step[i];
      const double reached = log_likelihood(results, next);
      if (reached < likelihood && scale * largest > 1e-9) continue;
      strength = std::move(next);
      likelihood = reached;
      break;
    }
  }
}

void require_chain(std::span<const std::string> names, std::span<const Pairing> pairings) {
  std::vector<std::size_t> group(names.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (const Pairing& p : pairings) {
    const std::size_t from = group[p.b], to = group[p.a];
    std::replace(group.begin(), group.end(), from, to);
  }
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (group[i] != group[0]) {
      throw NotLinked(
          fmt::format("no chain of games links '{}' with '{}': their ratings cannot be compared", names[0], names[i]));
    }
  }
}

void require_sense(std::span<const std::string> names, std::span<const Pairing> pairings,
                   const RatingOptions& options) {
  if (!(options.prior_pairs > 0)) throw std::invalid_argument("ratings need a positive number of imaginary pairs");
  if (options.samples < 1) throw std::invalid_argument("a bootstrap needs at least one sample");
  if (options.anchor && *options.anchor >= names.size()) throw std::invalid_argument("the anchor is no player");
  if (names.size() < 2) throw RatingError("ratings need at least two players");
  for (const Pairing& p : pairings) {
    if (p.a >= names.size() || p.b >= names.size()) throw std::invalid_argument("a pairing of a player without name");
    if (p.a == p.b) throw RatingError(fmt::format("'{}' is paired with itself", names[p.a]));
    if (p.pairs.empty()) throw RatingError(fmt::format("no games between '{}' and '{}'", names[p.a], names[p.b]));
  }
  require_chain(names, pairings);
}

PlayerRating count(std::size_t player, std::span<const Pairing> pairings) {
  PlayerRating rating;
  for (const Pairing& p : pairings) {
    if (p.a != player && p.b != player) continue;
    for (const PairScore& pair : p.pairs) {
      for (const double points : {pair.first, pair.second}) {
        const double own = p.a == player ? points : 1 - points;
        ++(own == 1 ? rating.wins : own == 0 ? rating.losses : rating.draws);
      }
    }
  }
  rating.score = (rating.wins + rating.draws / 2.0) / rating.games();
  return rating;
}

// The q-quantile of the sorted values.
double quantile(std::span<const double> sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

class Fit {
 public:
  Fit(std::size_t players, std::span<const Pairing> pairings, const RatingOptions& options)
      : pairings_(pairings),
        anchor_(options.anchor),
        prior_(options.prior_pairs * static_cast<double>(players) / (2 * static_cast<double>(pairings.size()))),
        strength_(players, 0.0) {}

  // `weight[k]` is the weight of pair k, `prior_weight` that of the imaginary pairs. Starts from the result of the last
  // call.
  std::vector<double> elo(std::span<const double> weight, double prior_weight) {
    std::vector<Result> results;
    for (const Pairing& p : pairings_) {
      Result r{p.a, p.b, prior_ * prior_weight, 2 * prior_ * prior_weight};
      for (std::size_t k = 0; k < p.pairs.size(); ++k) {
        r.points += weight[k] * (p.pairs[k].first + p.pairs[k].second);
        r.games += weight[k] * 2;
      }
      results.push_back(r);
    }
    maximise(results, strength_);
    const double mean =
        std::accumulate(strength_.begin(), strength_.end(), 0.0) / static_cast<double>(strength_.size());
    const double zero = anchor_ ? strength_[*anchor_] : mean;
    std::vector<double> elo;
    for (const double s : strength_) elo.push_back(kEloPerNat * (s - zero));
    return elo;
  }

 private:
  std::span<const Pairing> pairings_;
  std::optional<std::size_t> anchor_;
  double prior_;
  std::vector<double> strength_;
};

double misfit(std::span<const Pairing> pairings, std::span<const PlayerRating> players) {
  double squares = 0;
  for (const Pairing& p : pairings) {
    double points = 0;
    for (const PairScore& pair : p.pairs) points += pair.mean();
    const double difference =
        points / static_cast<double>(p.pairs.size()) - elo_to_score(players[p.a].elo - players[p.b].elo);
    squares += difference * difference;
  }
  return std::sqrt(squares / static_cast<double>(pairings.size()));
}

}  // namespace

Ratings rate(std::span<const std::string> names, std::span<const Pairing> pairings, const RatingOptions& options) {
  require_sense(names, pairings, options);
  const std::size_t n = names.size();
  std::size_t openings = 0;
  for (const Pairing& p : pairings) openings = std::max(openings, p.pairs.size());

  Fit fit(n, pairings, options);
  Ratings ratings;
  std::vector<double> weight(openings, 1.0);
  const std::vector<double> elo = fit.elo(weight, 1.0);
  for (std::size_t i = 0; i < n; ++i) {
    ratings.players.push_back(count(i, pairings));
    ratings.players.back().elo = elo[i];
  }
  ratings.misfit = misfit(pairings, ratings.players);

  Rng rng(mix_seed(options.seed, 0x7A7E));
  const auto exponential = [&rng] { return -std::log(1.0 - rng.uniform()); };
  std::vector<std::vector<double>> sampled(n);
  std::vector<int> above(n * n, 0);
  for (int sample = 0; sample < options.samples; ++sample) {
    for (double& w : weight) w = exponential();
    // A draw near zero, about once in 10^16, would remove the prior.
    const std::vector<double> drawn = fit.elo(weight, std::max(1e-6, exponential()));
    for (std::size_t i = 0; i < n; ++i) {
      sampled[i].push_back(drawn[i]);
      for (std::size_t j = 0; j < n; ++j) above[i * n + j] += drawn[i] > drawn[j] ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::sort(sampled[i].begin(), sampled[i].end());
    ratings.players[i].interval = {quantile(sampled[i], 0.025), quantile(sampled[i], 0.975)};
  }
  for (const int times : above) ratings.above_.push_back(static_cast<double>(times) / options.samples);
  return ratings;
}

}  // namespace quarto
