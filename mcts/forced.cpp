#include "mcts/forced.h"

#include <bit>
#include <cmath>
#include <tuple>

namespace quarto {

double forced_visits(double k, double prior, int total) { return std::sqrt(k * prior * total); }

gumbel::PerMove pruned_visits(std::span<const gumbel::Arm> arms, Mask among, double k, int total, double exploration) {
  gumbel::PerMove kept{};
  if (among == 0) return kept;
  const auto arm = [&](int slot) -> const gumbel::Arm& { return arms[static_cast<std::size_t>(slot)]; };
  const auto puct = [&](const gumbel::Arm& a, int visits) { return a.q + exploration * a.prior / (1 + visits); };
  int most = std::countr_zero(among);
  for (const int s : BitsOf(among)) {
    if (std::tie(arm(s).visits, arm(s).q) > std::tie(arm(most).visits, arm(most).q)) most = s;
  }
  const double best = puct(arm(most), arm(most).visits);
  for (const int s : BitsOf(among)) {
    const gumbel::Arm& a = arm(s);
    int visits = a.visits;
    if (s != most) {
      for (auto forced = static_cast<int>(forced_visits(k, a.prior, total)); forced > 0 && visits > 0; --forced) {
        if (puct(a, visits - 1) >= best) break;
        --visits;
      }
      if (visits < a.visits && visits == 1) visits = 0;
    }
    kept[static_cast<std::size_t>(s)] = visits;
  }
  return kept;
}

}  // namespace quarto
