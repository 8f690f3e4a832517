// quartozero bench light: what a move costs outside the trainer, and what LibTorch would take for the same network.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/networks.h"
#include "bench/timing.h"
#include "model/checkpoint.h"
#include "model/light_export.h"
#include "model/network_evaluator.h"
#include "model/runtime.h"
#include "play/light_player.h"
#include "play/shipped_networks.h"

namespace quarto::bench {
namespace {

constexpr std::size_t kPositions = 64;
constexpr double kSeconds = 0.5;  // for each figure

double microseconds_each(double seconds) { return 1e6 * seconds / static_cast<double>(kPositions); }

double by_torch(Evaluator& evaluator, const std::vector<Position>& positions, std::size_t batch_size) {
  std::vector<Evaluation> out(positions.size());
  const auto batch = evaluator.new_batch();
  return microseconds_each(median_seconds(
      [&] {
        for (std::size_t i = 0; i < positions.size(); i += batch_size) {
          for (std::size_t k = i; k < i + batch_size; ++k) batch->add(positions[k], out[k]);
          batch->compute();
        }
      },
      kSeconds));
}

}  // namespace

void run_light(const LightOptions& o) {
  configure_torch(1);
  std::vector<std::string> checkpoints = o.checkpoints;
  if (checkpoints.empty()) {
    for (const auto& [name, rules] : kShippedNetworks) {
      if (rules != Rules::lines) continue;  // whose positions are measured
      if (const auto found = shipped_network(name)) checkpoints.push_back(found->parent_path().string());
    }
  }
  struct Loaded {
    std::string checkpoint;
    LightPlayer player;
    NetworkEvaluator dense;
  };
  std::vector<Loaded> networks;  // all of them before the first line, so that a wrong name is an error at once
  for (const std::string& checkpoint : checkpoints) {
    LightPlayerOptions options;
    options.search.proof_nodes = o.proof_nodes;
    networks.push_back({checkpoint, LightPlayer(to_light(checkpoint), options),
                        NetworkEvaluator(load_network(checkpoint), torch::kCPU, Precision::float32)});
  }
  const std::vector<Position> positions = positions_in_play(kPositions, o.seed);
  fmt::print("Microseconds of one core, medians; positions of 0 to 23 plies\n{:<40} {:>8} {:>8} {:>8} {:>12} {:>12}\n",
             "network", "evaluate", "move", fmt::format("move@{}", o.simulations), "LibTorch, 1", "LibTorch, 64");
  for (Loaded& network : networks) {
    LightPlayer& player = network.player;
    const auto each = [&](const auto& work) {
      return microseconds_each(median_seconds(
          [&] {
            for (const Position& p : positions) work(p);
          },
          kSeconds));
    };
    const double evaluate = microseconds_each(median_seconds([&] { (void)player.evaluate(positions); }, kSeconds));
    const double move = each([&](const Position& p) { (void)player.choose(p); });
    const double searched = each([&](const Position& p) { (void)player.think(p, {.simulations = o.simulations}); });
    fmt::print("{:<40} {:>8.1f} {:>8.1f} {:>8.0f} {:>12.0f} {:>12.0f}\n", network.checkpoint, evaluate, move, searched,
               by_torch(network.dense, positions, 1), by_torch(network.dense, positions, kPositions));
  }
}

}  // namespace quarto::bench
