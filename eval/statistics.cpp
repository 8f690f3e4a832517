#include "eval/statistics.h"

#include <algorithm>
#include <cmath>

namespace quarto {

Interval wilson(double successes, double n, double z, double variance_ratio) {
  if (n <= 0) return {0, 1};
  const double share = successes / n, z2 = z * z * variance_ratio;
  const double centre = (share + z2 / (2 * n)) / (1 + z2 / n);
  const double half = std::sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n);
  // At 0 and 1 the formula is exact; rounding must not move the result past them.
  return {share <= 0 ? 0.0 : std::clamp(centre - half, 0.0, share),
          share >= 1 ? 1.0 : std::clamp(centre + half, share, 1.0)};
}

double elo_to_score(double elo) { return 1 / (1 + std::pow(10.0, -elo / 400)); }

std::optional<double> score_to_elo(double score) {
  if (score <= 0 || score >= 1) return std::nullopt;
  return -400 * std::log10(1 / score - 1);
}

EloEstimate estimate_elo(std::span<const PairScore> pairs) {
  EloEstimate result;
  if (pairs.empty()) return result;
  const auto n = static_cast<double>(pairs.size());
  double sum = 0, squares = 0;
  for (const PairScore& pair : pairs) {
    sum += pair.mean();
    squares += pair.mean() * pair.mean();
  }
  result.score = sum / n;
  const double coin = result.score * (1 - result.score);
  const double variance = std::max(0.0, squares / n - result.score * result.score);
  const double ratio = coin > 0 ? (n * variance / coin + 1) / (n + 1) : 1.0;
  result.score_interval = wilson(sum, n, kZ95, ratio);
  result.elo = score_to_elo(result.score);
  result.low = score_to_elo(result.score_interval.low);
  result.high = score_to_elo(result.score_interval.high);
  return result;
}

}  // namespace quarto
