// Fits the network to the replay buffer.
//
// The loss of a sample has two terms. The policy term is the cross entropy of the policy head of its phase with the
// search's move shares, over legal moves only. (For exact labels it can be minus the logarithm of the probability of
// all moves that keep the value.) The outcome term is the cross entropy of the outcome head (win, draw, loss) with the
// game's result, optionally mixed with the search's value (Silver et al. 2018; the mixture after Young, Prasad and
// Abrams, "Lessons From Implementing AlphaZero", 2018). Each time a sample is drawn, a random symmetry of the game is
// applied to it, unless the network is equivariant.
//
// Self-play, evaluation and export use a moving average of the weights (Polyak and Juditsky 1992).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "base/random.h"
#include "data/sample.h"
#include "env/evaluator.h"
#include "train/config.h"

namespace quarto {

struct StepLoss {
  double place = 0, give = 0, outcome = 0;  // nats, the mean over the samples that have this target
  double total = 0;                         // the minimized loss, without the penalty of the logits
  double gradient_norm = 0;                 // before clipping
};

// A loss that is not finite.
class DivergedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The learning rate when `progress`, 0 to 1, of the run is done.
double scheduled_rate(const LearnerConfig& config, double progress);

// LibTorch's name of the device that learns ("cpu", "cuda:0"): learner.device, or with "auto" the run's device. But
// with "auto" the processor learns a pairs network, by the network's kernel, in batches
// of fewer than 1,024: LibTorch's step on a GPU was faster from there on (docs/experiments/gpu-h200.md); that of the GPU's
// own gradient kernel, which took its place, has not been measured. Throws DeviceError.
std::string learning_device(const RunConfig& config);

// The reason why this network is slow on this device, or "". The trainer shows it once.
std::string slow_network_note(const RunConfig& config);

// Made by make_learner(). Not thread-safe.
class Learner {
 public:
  virtual ~Learner() = default;

  // One step on a batch of config.learner.batch samples. Throws DivergedError if the loss is not finite, and
  // std::runtime_error if the device fails, e.g. for lack of memory. If the loss is not finite on a CPU, no weight has
  // changed (the running statistics of a residual network have). On a GPU the error is detected later, and the learner
  // is only usable after go_back().
  StepLoss step(const SampleSource& samples, Rng& rng, double learning_rate) {
    return steps(1, samples, rng, learning_rate);
  }
  // Takes `count` steps and returns the mean losses. Calls `on_step` (may be empty) after each. On a GPU the losses are
  // copied to the host once, at the end, so that the next batch can be drawn while the device computes.
  virtual StepLoss steps(int count, const SampleSource& samples, Rng& rng, double learning_rate,
                         const std::function<void(int)>& on_step = {}) = 0;
  virtual std::uint64_t step_count() const = 0;
  // Where it learns: learning_device(), or "cpu" where that was chosen by "auto" and cannot be used.
  virtual std::string device() const = 0;

  // A copy of all that steps change, and the way back to it.
  struct Memory {
    virtual ~Memory() = default;
  };
  virtual std::unique_ptr<const Memory> remember() const = 0;
  virtual void go_back(const Memory& memory) = 0;  // of this learner

  // The number of trainable parameters of the network.
  virtual std::uint64_t weight_count() const = 0;

  // An evaluator with a copy of the present averaged weights, on the run's device. `precision` as resolve_precision()
  // takes it. (In a process that learns on a GPU, float32 matrix products are rounded to TF32 there.)
  virtual std::unique_ptr<Evaluator> make_evaluator(PrecisionChoice precision = PrecisionChoice::float32) const = 0;

  // Writes the averaged weights to `directory/model.safetensors`, for evaluation, play and export.
  virtual void save_playing_weights(const std::filesystem::path& directory) const = 0;
  // True if `directory` has the weights that save_playing_weights() would write, judged by their step.
  virtual bool has_saved_playing_weights(const std::filesystem::path& directory) const = 0;
  // Writes the same and `learner.safetensors`: the weights being trained and the optimizer's state, which exact resume
  // needs. Both files are written whole or not at all.
  virtual void save(const std::filesystem::path& directory) const = 0;
  // Starts from the weights of a checkpoint of the same shape; ignores the rest of the checkpoint. Throws
  // CheckpointError.
  virtual void load_weights(const std::filesystem::path& checkpoint) = 0;
  virtual void load(const std::filesystem::path& directory) = 0;  // throws CheckpointError
};

// Initializes the network from the run's seed. Loads LibTorch (app/torch_library.h).
std::unique_ptr<Learner> make_learner(const RunConfig& config);

// Begins a run with config.weights, unless they are "". Returns what to tell: which weights they are. Throws
// CheckpointError if there are none, if they are of another network or other rules, and if a run of track `zero` would
// begin with weights that have learned from exact values.
std::string begin_with_weights(Learner& learner, const RunConfig& config);

}  // namespace quarto
