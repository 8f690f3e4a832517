#include "train/learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "light/counts.h"
#include "light/pairs_kernel.h"
#include "model/checkpoint.h"
#include "model/runtime.h"

namespace quarto {
namespace fs = std::filesystem;

double scheduled_rate(const LearnerConfig& config, double progress) {
  const double p = std::clamp(progress, 0.0, 1.0);
  if (p < config.warmup) {
    // Never zero: otherwise the first iteration of a short run would learn nothing.
    return config.learning_rate * std::max(0.05, p / config.warmup);
  }
  const double rest = config.warmup < 1 ? (p - config.warmup) / (1 - config.warmup) : 1;
  const double low = config.final_rate;
  if (config.schedule == Schedule::constant) return config.learning_rate;
  if (config.schedule == Schedule::linear) return config.learning_rate * (1 + (low - 1) * rest);
  return config.learning_rate * (low + (1 - low) * 0.5 * (1 + std::cos(std::numbers::pi * rest)));
}

std::string learning_device(const RunConfig& config) {
  if (config.learner.device != "auto") return resolve_device(config.learner.device);
  constexpr int kSmallestGpuBatch = 1024;
  const bool by_kernel = config.network.kind == NetworkKind::pairs && config.learner.kernel;
  const std::string everywhere = resolve_device(config.device);
  return by_kernel && config.learner.batch < kSmallestGpuBatch ? "cpu" : everywhere;
}

std::string slow_network_note(const RunConfig& config) {
  if (config.network.kind != NetworkKind::pairs || config.learner.kernel) return "";
  return fmt::format(
      "LibTorch learns from {} KB of counts for each position, made by the processor; learner.kernel=true learns many "
      "times faster, with our own kernel",
      std::lround(light::counts_size(config.network.rules) * sizeof(float) / 1000.0));
}

std::string begin_with_weights(Learner& learner, const RunConfig& config) {
  if (config.weights.empty()) return "";
  const fs::path file = find_weights(config.weights, Weights::Kind::checkpoint).file;
  const WeightsInfo info = read_weights_info(file);
  if (config.track == Track::zero && info.track != Track::zero) {
    throw CheckpointError(
        fmt::format("'{}' has learned from exact values (track '{}'), and this run is of track 'zero', which learns "
                    "without: set track to '{}', or take other weights",
                    file.string(), name_of(info.track), name_of(info.track)));
  }
  learner.load_weights(file);
  return fmt::format("begins with the weights of {} (track {}, step {}) instead of random ones", file.string(),
                     name_of(info.track), info.step);
}

}  // namespace quarto
