// quartozero bench kernel: what a position costs in the pairs network's own kernels, by pieces on the board: of one
// core, or of a whole GPU. The cost of the input depends on them. The weights are random.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/config.h"
#include "base/cores.h"
#include "bench/bench.h"
#include "bench/gpu_rate.h"
#include "bench/network_name.h"
#include "bench/timing.h"
#include "gpu/evaluator.h"
#include "gpu/gradient.h"
#include "light/input_rows.h"
#include "light/integer_pairs.h"
#include "light/integer_weights.h"
#include "light/pairs_kernel.h"
#include "model/config.h"
#include "model/runtime.h"

namespace quarto::bench {
namespace {

constexpr std::size_t kPositions = 200, kGpuPositions = 4096;
constexpr int kFirst = 5, kLast = 14;  // pieces on the board

struct KernelArguments {
  std::vector<std::string> networks = {"pairs:16x3", "pairs:32x3"};
  std::string device = "cpu";
  std::uint64_t seed = 1;
};

std::vector<Position> positions_with(int pieces, std::size_t count, std::uint64_t seed) {
  Rng rng(mix_seed(seed, static_cast<std::uint64_t>(pieces)));
  std::vector<Position> positions;
  while (positions.size() < count) {
    const Position p = random_position_at(2 * pieces + static_cast<int>(positions.size() % 2), rng);
    if (!p.is_terminal()) positions.push_back(p);
  }
  return positions;
}

// A row: what `work` takes for a position.
template <class F>
void print_cpu_row(const std::string& name, const std::vector<std::vector<Position>>& positions, const F& work) {
  std::string costs;
  double mean = 0;
  for (const auto& some : positions) {
    const double seconds = median_seconds(
        [&] {
          for (const Position& p : some) work(p);
        },
        0.05);
    const double us = 1e6 * seconds / static_cast<double>(some.size());
    costs += fmt::format(" {:>6.1f}", us);
    mean += us / static_cast<double>(positions.size());
  }
  fmt::print("{:<20}{} {:>7.1f}\n", name, costs, mean);
  std::fflush(stdout);
}

light::Floats random_weights(const light::PairsShape& shape, std::uint64_t seed) {
  light::Floats weights(light::PairsLayout(shape).size);
  Rng rng(seed);
  for (float& w : weights) w = 0.1F * static_cast<float>(rng.normal());
  return weights;
}

std::string name(const NetworkConfig& config) { return fmt::format("pairs:{}x{}", config.width, config.blocks); }

void print_cpu(const NetworkConfig& config, const std::vector<std::vector<Position>>& positions, std::uint64_t seed) {
  const light::PairsShape shape = pairs_shape(config);
  const light::Floats weights = random_weights(shape, seed);
  light::Floats gradient(weights.size());
  const auto kernel = light::PairsKernel::make(shape, weights);
  const auto integers = light::make_integer_kernel(light::integer_weights(shape, weights, Rules::lines));
  const auto workspace = kernel->new_workspace(), of_integers = integers->new_workspace();
  light::PairsOutput loss{};
  loss.outcome = {1, 0, -1};
  loss.policy.fill(0.1F);
  print_cpu_row(name(config), positions, [&](const Position& p) { (void)kernel->forward(p, *workspace); });
  print_cpu_row("  with backward", positions, [&](const Position& p) {
    (void)kernel->forward(p, *workspace);
    kernel->backward(loss, *workspace, gradient);
  });
  print_cpu_row("  in integers", positions, [&](const Position& p) { (void)integers->forward(p, *of_integers); });
}

// Batches as a learner's.
void print_gpu_gradient(const light::PairsShape& shape, const std::vector<std::vector<Position>>& positions, int number,
                        std::uint64_t seed) {
  gpu::GradientOnGpu kernels(shape, Rules::lines, number);
  const auto device = gpu::Device::open(number);
  const auto on_device = [&](std::span<const std::byte> bytes) {
    gpu::DeviceMemory memory(device, bytes.size());
    memory.fill(bytes);
    return memory;
  };
  const light::Floats weights = random_weights(shape, seed);
  const gpu::DeviceMemory there = on_device(std::as_bytes(std::span(weights)));
  const gpu::DeviceMemory out(device, (weights.size() + gpu::GradientOnGpu::kFigures) * sizeof(float));
  std::string costs;
  double mean = 0;
  for (const auto& some : positions) {
    std::vector<std::byte> packed(some.size() * gpu::sample_size());
    constexpr std::array<float, kMoves> kAnyMove = [] {
      std::array<float, kMoves> shares{};
      shares.fill(1.0F / kMoves);
      return shares;
    }();
    for (std::size_t i = 0; i < some.size(); ++i)
      gpu::pack_sample(some[i], kAnyMove, std::array{0.5F, 0.3F, 0.2F}, packed.data() + i * gpu::sample_size());
    const gpu::DeviceMemory samples = on_device(packed);
    const double seconds = median_seconds(
        [&] {
          kernels.compute({samples.pointer(), static_cast<int>(some.size()), false, 0}, there.pointer(), out.pointer());
          gpu::wait_by_default(*device);
        },
        0.1);
    const double cost = 1e6 * seconds / static_cast<double>(some.size());
    costs += fmt::format(" {:>6.3f}", cost);
    mean += cost / static_cast<double>(positions.size());
  }
  fmt::print("{:<20}{} {:>7.3f}\n", "  with backward", costs, mean);
}

// Large batches from many threads: what the device takes, not what one thread can send.
void print_gpu(const NetworkConfig& config, const std::vector<std::vector<Position>>& positions,
               const std::string& device, std::uint64_t seed) {
  constexpr std::size_t kInFlight = 2;
  const light::PairsShape shape = pairs_shape(config);
  const int number = device_number(device);
  gpu::PairsOnGpu kernels(shape, random_weights(shape, seed), Rules::lines, number);
  std::string forward;
  double mean = 0;
  for (const auto& some : positions) {
    const double rate =
        positions_per_second_on_gpu(kernels, some, kInFlight, static_cast<std::size_t>(usable_cores()), 0.1);
    forward += fmt::format(" {:>6.3f}", 1e6 / rate);
    mean += 1e6 / rate / static_cast<double>(positions.size());
  }
  fmt::print("{:<20}{} {:>7.3f}\n", name(config), forward, mean);
  std::fflush(stdout);
  print_gpu_gradient(shape, positions, number, seed);
}

void run_kernel(const KernelArguments& o) {
  std::vector<NetworkConfig> networks;
  for (const std::string& text : o.networks) {
    const NetworkConfig config = parse_network(text);
    if (config.kind != NetworkKind::pairs)
      throw ConfigError(
          fmt::format("'{}' has no kernel of our own; quartozero bench model measures it in LibTorch", text));
    networks.push_back(config);
  }
  const std::string device = resolve_device(o.device);
  const bool on_gpu = device != "cpu";
  std::vector<std::vector<Position>> positions;
  for (int pieces = kFirst; pieces <= kLast; ++pieces)
    positions.push_back(positions_with(pieces, on_gpu ? kGpuPositions : kPositions, o.seed));
  fmt::print(
      "{}\n{:<20}",
      on_gpu
          ? fmt::format("Microseconds of the whole GPU ({}) for a position: forward, and forward with backward", device)
          : "Microseconds of one core for a position, medians: forward, with backward, forward in integers",
      "network");
  for (int pieces = kFirst; pieces <= kLast; ++pieces) fmt::print(" {:>6}", pieces);
  fmt::print(" {:>7}\n", "mean");
  if (!on_gpu) {
    light::PairCounts counts;
    print_cpu_row("counts (in each)", positions, [&](const Position& p) {
      const light::PairsInput in(p);
      std::apply([&](auto&... all) { (all.count(in), ...); }, counts);
    });
  }
  for (const NetworkConfig& config : networks) {
    if (on_gpu)
      print_gpu(config, positions, device, o.seed);
    else
      print_cpu(config, positions, o.seed);
  }
}

}  // namespace

void add_kernel(CLI::App& bench) {
  auto options = std::make_shared<KernelArguments>();
  CLI::App* command = bench.add_subcommand("kernel", "the pairs network's own kernels: a position's cost by pieces");
  command->add_option("NETWORK", options->networks, "pairs:WIDTHxBLOCKS")->capture_default_str();
  command->add_option("--device", options->device, "cpu, cuda, cuda:N, auto")->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the positions and weights")->capture_default_str();
  command->callback([options] { run_kernel(*options); });
}

}  // namespace quarto::bench
