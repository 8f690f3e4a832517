// quartozero bench kernel: what a position costs in the pairs network's own CPU kernel, by pieces on the board. The
// cost of two placements and more depends on them. The weights are random.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/config.h"
#include "bench/bench.h"
#include "bench/network_name.h"
#include "bench/timing.h"
#include "light/pairs_kernel.h"
#include "model/config.h"

namespace quarto::bench {
namespace {

constexpr int kPositions = 200;
constexpr int kFirst = 5, kLast = 14;  // pieces on the board

struct KernelArguments {
  std::vector<std::string> networks = {"pairs:16x3x1", "pairs:16x3x2", "pairs:16x3x3", "pairs:16x3x4",
                                       "pairs:32x3x1", "pairs:32x3x2", "pairs:32x3x3", "pairs:32x3x4"};
  std::uint64_t seed = 1;
};

std::vector<Position> positions_with(int pieces, std::uint64_t seed) {
  Rng rng(mix_seed(seed, static_cast<std::uint64_t>(pieces)));
  std::vector<Position> positions;
  while (positions.size() < kPositions) {
    const Position p = random_position_at(2 * pieces + static_cast<int>(positions.size() % 2), rng);
    if (!p.is_terminal()) positions.push_back(p);
  }
  return positions;
}

struct Cost {
  double forward = 0, both = 0;  // microseconds a position
};

Cost cost(const light::PairsKernel& kernel, const std::vector<Position>& positions, light::Floats& gradient) {
  const auto workspace = kernel.new_workspace();
  light::PairsOutput loss{};
  loss.outcome = {1, 0, -1};
  loss.policy.fill(0.1F);
  const auto each = [&](const auto& work) {
    const double seconds = median_seconds(
        [&] {
          for (const Position& p : positions) work(p);
        },
        0.05);
    return 1e6 * seconds / static_cast<double>(positions.size());
  };
  Cost c;
  c.forward = each([&](const Position& p) { (void)kernel.forward(p, *workspace); });
  c.both = each([&](const Position& p) {
    (void)kernel.forward(p, *workspace);
    kernel.backward(loss, *workspace, gradient);
  });
  return c;
}

void run_kernel(const KernelArguments& o) {
  std::vector<NetworkConfig> networks;
  for (const std::string& text : o.networks) {
    const NetworkConfig config = parse_network(text);
    if (config.kind != NetworkKind::pairs || !light::PairsKernel::supports(pairs_shape(config)))
      throw ConfigError(
          fmt::format("'{}' has no kernel for CPUs; quartozero bench model measures it in LibTorch", text));
    networks.push_back(config);
  }
  std::vector<std::vector<Position>> positions;
  for (int pieces = kFirst; pieces <= kLast; ++pieces) positions.push_back(positions_with(pieces, o.seed));
  fmt::print("Microseconds of one core for a position, medians: forward, and forward with backward\n{:<20}", "network");
  for (int pieces = kFirst; pieces <= kLast; ++pieces) fmt::print(" {:>6}", pieces);
  fmt::print(" {:>7}\n", "mean");
  for (const NetworkConfig& config : networks) {
    const light::PairsShape shape = pairs_shape(config);
    light::Floats weights(light::PairsLayout(shape).size), gradient(weights.size());
    Rng rng(o.seed);
    for (float& w : weights) w = 0.1F * static_cast<float>(rng.normal());
    const auto kernel = light::PairsKernel::make(shape, weights);
    std::string forward, both;
    Cost mean;
    for (const auto& some : positions) {
      const Cost c = cost(*kernel, some, gradient);
      forward += fmt::format(" {:>6.1f}", c.forward);
      both += fmt::format(" {:>6.1f}", c.both);
      mean.forward += c.forward / static_cast<double>(positions.size());
      mean.both += c.both / static_cast<double>(positions.size());
    }
    const std::string name = fmt::format("pairs:{}x{}x{}", config.width, config.blocks, config.placements);
    fmt::print("{:<20}{} {:>7.1f}\n{:<20}{} {:>7.1f}\n", name, forward, mean.forward, "  with backward", both,
               mean.both);
    std::fflush(stdout);
  }
}

}  // namespace

void add_kernel(CLI::App& bench) {
  auto options = std::make_shared<KernelArguments>();
  CLI::App* command = bench.add_subcommand("kernel", "the pairs network's CPU kernel: a position's cost by pieces");
  command->add_option("NETWORK", options->networks, "pairs:WIDTHxBLOCKSxPLACEMENTS")->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the positions and weights")->capture_default_str();
  command->callback([options] { run_kernel(*options); });
}

}  // namespace quarto::bench
