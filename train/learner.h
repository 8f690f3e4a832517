// Fits the network to the replay buffer.
//
// Loss of a sample: the cross entropy of the policy head of its phase with the search's move shares, over legal moves
// only (or, for exact labels, the mass on any move that keeps the value), plus the cross entropy of the outcome head
// (win, draw, loss) with the game's result, optionally mixed with the search's value (Silver et al. 2018; the mixture
// after Young, Prasad and Abrams, "Lessons From Implementing AlphaZero", 2018). Every sample is shown under a random
// one of the game's symmetries each time it is drawn.
//
// What plays, is evaluated and is shipped is a moving average of the weights (Polyak and Juditsky 1992).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/random.h"
#include "data/sample.h"
#include "env/evaluator.h"
#include "train/config.h"

namespace quarto {

struct StepLoss {
  double place = 0, give = 0, outcome = 0;  // nats per sample of the kind that asks for it
  double total = 0;                         // what was minimized
  double gradient_norm = 0;                 // before clipping
};

// The learning rate at a share 0..1 of the run.
double scheduled_rate(const LearnerConfig& config, double progress);

// Why this network will be slow on this device, or "": what a user should be told once.
std::string slow_network_note(const RunConfig& config);

// Not thread-safe.
class Learner {
 public:
  // A freshly initialized network, from the run's seed.
  explicit Learner(const RunConfig& config);
  ~Learner();
  Learner(Learner&&) noexcept;

  // One step on a batch of config.learner.batch samples. Throws std::runtime_error if the loss is not finite or the
  // device fails, e.g. for want of memory. On a CPU no weight has changed when the loss is not finite (a residual
  // network's running statistics have); on a GPU it is only seen afterwards, and the learner is of no more use.
  StepLoss step(const SampleSource& samples, Rng& rng, double learning_rate);
  // `count` steps, and the mean of their figures. `on_step` (may be empty) is called after each. On a GPU the figures
  // are fetched once, at the end: batches are drawn while the device still works on the ones before.
  StepLoss steps(int count, const SampleSource& samples, Rng& rng, double learning_rate,
                 const std::function<void(int)>& on_step = {});
  std::uint64_t step_count() const;
  // Trainable numbers in the network.
  std::uint64_t weight_count() const;

  // An evaluator with a copy of the averaged weights as they are now. `precision` as resolve_precision() takes it. (In
  // a process that learns on a GPU, products of float32 matrices are rounded to TF32 there.)
  std::unique_ptr<Evaluator> make_evaluator(PrecisionChoice precision = PrecisionChoice::float32) const;

  // The averaged weights as `directory/model.safetensors`, ready to evaluate, play or export.
  void save_playing_weights(const std::filesystem::path& directory) const;
  // And with them `learner.safetensors`: what else is needed to go on exactly, i.e. the weights being trained and the
  // optimizer's state. Both files are written whole or not at all.
  void save(const std::filesystem::path& directory) const;
  // Begins with the weights of a checkpoint of the same shape, and nothing else of it. Throws CheckpointError.
  void load_weights(const std::filesystem::path& checkpoint);
  void load(const std::filesystem::path& directory);  // throws CheckpointError

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
