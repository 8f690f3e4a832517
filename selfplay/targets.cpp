#include "selfplay/targets.h"

#include <algorithm>

namespace quarto {

std::vector<Target> draw_targets(const SampleSource& samples, int count, double search_value, bool images, Rng& rng) {
  std::vector<Target> targets;
  targets.reserve(static_cast<std::size_t>(count));
  const auto mix = static_cast<float>(search_value);
  for (int i = 0; i < count; ++i) {
    const Sample sample = samples.draw(rng);
    Target t{sample.position(), {}, {}};
    if (!(sample.skip & Sample::kSkipPolicy)) t.policy = sample.policy_shares();
    if (images) {
      const Rules rules = t.position.rules();
      const Symmetry g = symmetry(static_cast<int>(rng.below(static_cast<std::uint64_t>(symmetry_count(rules)))));
      t.policy = apply(g, t.policy, t.position.phase(), rules);
      t.position = apply(g, t.position);
    }
    targets.push_back(t);
    if (sample.skip & Sample::kSkipOutcome) continue;
    auto& outcome = targets.back().outcome;
    const float z = sample.outcome, v = sample.search_value();
    outcome[0] = (1 - mix) * (z > 0 ? 1.0F : 0.0F) + mix * std::max(v, 0.0F);
    outcome[2] = (1 - mix) * (z < 0 ? 1.0F : 0.0F) + mix * std::max(-v, 0.0F);
    outcome[1] = 1 - outcome[0] - outcome[2];
  }
  return targets;
}

}  // namespace quarto
