#include "train/steady_learning.h"

#include <fmt/format.h>

#include <cmath>

namespace quarto {
namespace {

constexpr int kMostTries = 4;

}  // namespace

// Twice the loss and one nat more: other games, another learning rate and one bad batch in hundreds stay far below.
bool has_diverged(double loss, double usual) { return !std::isfinite(loss) || (usual > 0 && loss > 2 * usual + 1); }

SteadyResult learn_steadily(Learner& learner, int count, const SampleSource& samples, Rng& rng, double rate,
                            double& usual, const std::function<void(int)>& on_step,
                            const std::function<void(const std::string&)>& say) {
  const auto before = learner.remember();
  for (int tries = 1;; ++tries) {
    std::string why;
    try {
      const StepLoss loss = learner.steps(count, samples, rng, rate, on_step);
      if (!has_diverged(loss.total, usual)) {
        usual = loss.total;
        return {loss, rate};
      }
      why = fmt::format("the loss rose from {:.3f} to {:.4g}", usual, loss.total);
    } catch (const DivergedError& e) {
      why = e.what();
    }
    learner.go_back(*before);
    if (tries == kMostTries) {
      throw DivergedError(fmt::format(
          "{}, {} times, at last with a learning rate of {:g}: the learner diverges. The last checkpoint is "
          "from before; lower learner.learning_rate or raise learner.logit_penalty, and resume",
          why, kMostTries, rate));
    }
    rate /= 2;
    say(fmt::format("{}: these steps are forgotten, and learned again with half the learning rate, {:g}", why, rate));
  }
}

}  // namespace quarto
