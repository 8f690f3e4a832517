#include "train/gpu_gradient.h"

#include <fmt/format.h>

#include <bit>
#include <memory>
#include <vector>

#include "base/random.h"
#include "env/random_play.h"
#include "gpu/program.h"
#include "model/network.h"
#include "model/pairs.h"
#include "train/pairs_gradient.h"

namespace quarto {
namespace {

gpu::GradientOnGpu kernels_on(const NetworkConfig& network, torch::Device device) {
  if (!gpu::kernels_wanted()) throw gpu::CudaError("QUARTOZERO_GPU_KERNELS=0 forbids our own kernels");
  return {pairs_shape(network), network.rules, device.has_index() ? device.index() : 0};
}

gpu::DevicePointer pointer(const torch::Tensor& tensor) {
  return reinterpret_cast<gpu::DevicePointer>(tensor.data_ptr());
}

// Shares of all moves, or of one, and of an outcome.
std::vector<Target> some_targets(Rules rules) {
  Rng rng(1);
  std::vector<Target> targets;
  for (const Position& p : unfinished_positions(100, rules, 1)) {
    Target t{p, {}, {}};
    const auto moves = static_cast<float>(std::popcount(p.legal_moves()));
    for (const int m : BitsOf(p.legal_moves())) t.policy[static_cast<std::size_t>(m)] = 1 / moves;
    t.outcome[rng.below(3)] = 1;
    targets.push_back(t);
  }
  return targets;
}

}  // namespace

GpuGradient::GpuGradient(const NetworkConfig& network, torch::Device device) try
    : device_(device), kernels_(kernels_on(network, device)) {
  const light::PairsLayout layout(pairs_shape(network));
  std::vector<torch::Tensor> places;
  for (const auto& e : layout.entries) {
    places.push_back(torch::arange(e.offset, e.offset + e.rows * e.cols, torch::kInt64));
  }
  places_ = torch::cat(places).to(device);
  const auto numbers = torch::TensorOptions().device(device);
  weights_ = torch::zeros({layout.size}, numbers);
  out_ = torch::empty({layout.size + gpu::GradientOnGpu::kFigures}, numbers);
  compare_with_processor(network);
} catch (const c10::Error& e) {
  throw gpu::CudaError(e.what_without_backtrace());
}

torch::Tensor GpuGradient::compute(std::span<const Target> targets, bool any, double logit_penalty,
                                   torch::Tensor& weights) {
  const torch::NoGradGuard no_grad;
  const auto n = static_cast<std::int64_t>(targets.size()), size = static_cast<std::int64_t>(gpu::sample_size());
  // From page-locked memory, so that the host does not wait for the copy.
  const auto locked = torch::TensorOptions().dtype(torch::kUInt8).pinned_memory(device_.is_cuda());
  torch::Tensor samples = torch::empty({n, size}, locked);
  auto* row = static_cast<std::byte*>(samples.data_ptr());
  for (const Target& t : targets) {
    gpu::pack_sample(t.position, t.policy, t.outcome, row);
    row += size;
  }
  samples = samples.to(device_, true);
  weights_.index_copy_(0, places_, weights.detach());
  kernels_.compute({pointer(samples), static_cast<int>(n), any, static_cast<float>(logit_penalty)}, pointer(weights_),
                   pointer(out_));
  weights.mutable_grad() = out_.index_select(0, places_);
  const torch::Tensor f = out_.slice(0, weights_.numel());
  const auto figure = [&](int i) { return f.slice(0, i, i + 1); };
  return torch::cat({f.slice(0, 0, 2), figure(2) / figure(5).clamp_min(1),
                     f.slice(0, 0, 3).sum(0, true) / static_cast<double>(n), f.slice(0, 3, 5)});
}

void GpuGradient::compare_with_processor(const NetworkConfig& config) {
  const std::vector<Target> targets = some_targets(config.rules);
  const auto network = std::dynamic_pointer_cast<PairsNetwork>(make_network(config));
  PairsGradient(*network, 1).compute(targets, false, 0.01);
  std::vector<torch::Tensor> weights;
  for (const torch::Tensor& p : network->parameters()) weights.push_back(p.detach().flatten());
  torch::Tensor there = torch::cat(weights).to(device_);
  compute(targets, false, 0.01, there);
  const torch::Tensor found = there.grad().to(torch::kCPU);
  std::int64_t at = 0;
  for (const auto& p : network->named_parameters()) {
    const torch::Tensor wanted = p.value().grad().flatten(), here = found.slice(0, at, at + wanted.numel());
    at += wanted.numel();
    // Rounding may also decide otherwise which of two nearly equal numbers is a maximum.
    const double most = (here - wanted).abs().max().item<double>(), size = wanted.abs().max().item<double>();
    if (!(most <= 1e-2 * size + 1e-7)) {
      throw gpu::CudaError(
          fmt::format("its gradient of {} differs from the processor's by {:.0e} of {:.0e}", p.key(), most, size));
    }
  }
}

}  // namespace quarto
