// quartozero bench kernel: what a position costs in the pairs network's own kernels, by pieces on the board: of one
// core, or of a whole GPU. The cost of the input depends on them. Most kernels of processors pass over zeros, of which
// a trained network has more than one with random weights.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
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
#include "model/checkpoint.h"
#include "model/config.h"
#include "model/runtime.h"

namespace quarto::bench {
namespace {

constexpr std::size_t kPositions = 200, kGpuPositions = 4096;
constexpr int kFirst = 5, kLast = 14;  // pieces on the board

struct KernelArguments {
  std::vector<std::string> networks = {"small", "zero"};
  std::string device = "cpu";
  std::uint64_t seed = 1;
};

// By pieces on the board.
using Positions = std::vector<std::vector<Position>>;
Positions some_positions(std::size_t count, Rules rules, std::uint64_t seed) {
  Positions all;
  for (int pieces = kFirst; pieces <= kLast; ++pieces) {
    Rng rng(mix_seed(seed, static_cast<std::uint64_t>(pieces)));
    std::vector<Position>& some = all.emplace_back();
    while (some.size() < count) {
      const Position p = random_position_at(2 * pieces + static_cast<int>(some.size() % 2), rng, rules);
      if (!p.is_terminal()) some.push_back(p);
    }
  }
  return all;
}

// A row: what `work` takes for a position.
template <class F>
void print_cpu_row(const std::string& name, const Positions& positions, const F& work) {
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

struct GivenNetwork {
  std::string name;
  light::PairsShape shape;
  Rules rules;
  light::Floats weights;
};

GivenNetwork network_named(const std::string& text, std::uint64_t seed) {
  if (text.find(':') != std::string::npos || value_named<NetworkKind>(text)) {
    const NetworkConfig config = parse_network(text);
    if (config.kind != NetworkKind::pairs)
      throw ConfigError(
          fmt::format("'{}' has no kernel of our own; quartozero bench model measures it in LibTorch", text));
    const light::PairsShape shape = pairs_shape(config);
    return {fmt::format("pairs:{}x{}", config.width, config.blocks), shape, Rules::lines, random_weights(shape, seed)};
  }
  const StoredWeights weights = read_weights(std::filesystem::path(text));
  return {text, pairs_shape(weights.info.network), weights.info.rules, pairs_weights(weights)};
}

void print_cpu(const GivenNetwork& network, const Positions& positions) {
  light::Floats gradient(network.weights.size());
  const auto kernel = light::PairsKernel::make(network.shape, network.weights);
  const auto integers =
      light::make_integer_kernel(light::integer_weights(network.shape, network.weights, network.rules));
  const auto workspace = kernel->new_workspace(), of_integers = integers->new_workspace();
  light::PairsOutput loss{};
  loss.outcome = {1, 0, -1};
  loss.policy.fill(0.1F);
  print_cpu_row(network.name, positions, [&](const Position& p) { (void)kernel->forward(p, *workspace); });
  print_cpu_row("  with backward", positions, [&](const Position& p) {
    (void)kernel->forward(p, *workspace);
    kernel->backward(loss, *workspace, gradient);
  });
  print_cpu_row("  in integers", positions, [&](const Position& p) { (void)integers->forward(p, *of_integers); });
}

// Batches as a learner's.
void print_gpu_gradient(const GivenNetwork& network, const Positions& positions, int number) {
  gpu::GradientOnGpu kernels(network.shape, network.rules, number);
  const auto device = gpu::Device::open(number);
  const auto on_device = [&](std::span<const std::byte> bytes) {
    gpu::DeviceMemory memory(device, bytes.size());
    memory.fill(bytes);
    return memory;
  };
  const gpu::DeviceMemory there = on_device(std::as_bytes(std::span(network.weights)));
  const gpu::DeviceMemory out(device, (network.weights.size() + gpu::GradientOnGpu::kFigures) * sizeof(float));
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
void print_gpu(const GivenNetwork& network, const Positions& positions, const std::string& device) {
  constexpr std::size_t kInFlight = 2;
  const int number = device_number(device);
  gpu::PairsOnGpu kernels(network.shape, network.weights, network.rules, number);
  std::string forward;
  double mean = 0;
  for (const auto& some : positions) {
    const double rate =
        positions_per_second_on_gpu(kernels, some, kInFlight, static_cast<std::size_t>(usable_cores()), 0.1);
    forward += fmt::format(" {:>6.3f}", 1e6 / rate);
    mean += 1e6 / rate / static_cast<double>(positions.size());
  }
  fmt::print("{:<20}{} {:>7.3f}\n", network.name, forward, mean);
  std::fflush(stdout);
  print_gpu_gradient(network, positions, number);
}

void run_kernel(const KernelArguments& o) {
  std::vector<GivenNetwork> networks;  // all of them before the first line, so that a wrong name is an error at once
  for (const std::string& text : o.networks) networks.push_back(network_named(text, o.seed));
  const std::string device = resolve_device(o.device);
  const bool on_gpu = device != "cpu";
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
    print_cpu_row("counts (in each)", some_positions(kPositions, Rules::lines, o.seed), [&](const Position& p) {
      const light::PairsInput in(p);
      std::apply([&](auto&... all) { (all.count(in), ...); }, counts);
    });
  }
  for (const GivenNetwork& network : networks) {
    const Positions positions = some_positions(on_gpu ? kGpuPositions : kPositions, network.rules, o.seed);
    if (on_gpu)
      print_gpu(network, positions, device);
    else
      print_cpu(network, positions);
  }
}

}  // namespace

void add_kernel(CLI::App& bench) {
  auto options = std::make_shared<KernelArguments>();
  CLI::App* command = bench.add_subcommand("kernel", "the pairs network's own kernels: a position's cost by pieces");
  command
      ->add_option("NETWORK", options->networks,
                   "a network of kind pairs by name or path, or pairs:WIDTHxBLOCKS with random weights")
      ->capture_default_str();
  command->add_option("--device", options->device, "cpu, cuda, cuda:N, auto")->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the positions and weights")->capture_default_str();
  command->callback([options] { run_kernel(*options); });
}

}  // namespace quarto::bench
