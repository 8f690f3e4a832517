// Learning that goes back when it diverges.
//
// The loss of self-play can rise without warning: where the target is always the same, logits grow, and one sample that
// contradicts them throws the weights so far that later steps do not find back. A portion of steps whose mean loss is
// far above that of the portion before, or not finite, is forgotten and learned again from other samples at half the
// learning rate. (Going back and leaving out the batches around a rise is what Chowdhery et al., "PaLM", 2022, section
// 5.1, did by hand.) The penalty of the logits (LearnerConfig::logit_penalty) is there so that this is not needed.
#pragma once

#include <functional>
#include <string>

#include "train/learner.h"

namespace quarto {

struct SteadyResult {
  StepLoss loss;
  double rate = 0;  // the learning rate with which it was learned
};

// `count` steps, as Learner::steps(). `usual` is the mean loss of the portion before, 0 if there is none, and is set to
// this one's. `say` is told of each way back. Throws DivergedError when a portion diverges four times, also with an
// eighth of the learning rate; the learner is then as it was before. The result depends on the arguments alone.
SteadyResult learn_steadily(Learner& learner, int count, const SampleSource& samples, Rng& rng, double rate,
                            double& usual, const std::function<void(int)>& on_step,
                            const std::function<void(const std::string&)>& say);

// A mean loss so far above `usual` that the learner has diverged, or one that is not finite.
bool has_diverged(double loss, double usual);

}  // namespace quarto
