#include "gpu/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <vector>

#include "gpu/arguments.h"
#include "gpu/evaluator.h"
#include "gpu/pairs_gradient.h"
#include "gpu/program.h"

namespace quarto::gpu {
namespace {

static_assert(GradientOnGpu::kFigures == quarto::gpu::kFigures);
constexpr unsigned kSumThreads = 256;  // as in the source

// The device's memory of a block, in bytes, for a network of so many blocks.
template <int W, int N, int LINES>
constexpr std::size_t scratch_bytes(int blocks) {
  return sizeof(GradientScratch<W, N, LINES>) + static_cast<std::size_t>(blocks + 1) * sizeof(Tape<W, N, LINES>);
}

template <int W>
std::size_t scratch_bytes(int blocks, Rules rules) {
  return with_rules(rules,
                    [&](auto constant) { return scratch_bytes<W, kSquares, rule_set(constant()).size()>(blocks); });
}

std::size_t scratch_bytes(const light::PairsShape& shape, Rules rules) {
  switch (shape.width) {
    case 16:
      return scratch_bytes<16>(shape.blocks, rules);
    case 32:
      return scratch_bytes<32>(shape.blocks, rules);
    case 48:
      return scratch_bytes<48>(shape.blocks, rules);
    default:
      return scratch_bytes<64>(shape.blocks, rules);
  }
}

}  // namespace

struct GradientOnGpu::Program {
  BoardKernels gradient;
  Kernel add_up;

  Program(const std::shared_ptr<Device>& device, const BoardPrograms& programs,
          const std::array<std::size_t, 3>& shared)
      : gradient(device, programs, "gradient", shared),
        add_up(gradient.modules.front()->kernel("add_up", kSumThreads, 0)) {}
};

BoardPrograms compile_gradient(int width, Rules rules, const std::string& architecture, bool verbose) {
  return compile_for_boards(
      "gpu/gradient.cu", architecture,
      {verbose ? "--ptxas-options=-v" : "--ptxas-options=-O3", fmt::format("-DQUARTO_WIDTH={}", width),
       fmt::format("-DQUARTO_LINES={}", rule_set(rules).size())});
}

std::size_t sample_size() { return sizeof(Sample); }

void pack_sample(const Position& position, std::span<const float, 16> policy, std::span<const float, 3> outcome,
                 std::byte* out) {
  Sample sample{board_of(position), {}, {}};
  std::ranges::copy(policy, sample.policy);
  std::ranges::copy(outcome, sample.outcome);
  std::memcpy(out, &sample, sizeof sample);
}

GradientOnGpu::GradientOnGpu(const light::PairsShape& shape, Rules rules, int number) : layout_(shape), rules_(rules) {
  (void)network_of(shape, rules);  // refuses more blocks than there may be
  program_ = made_once(std::tuple{number, shape.width, rules}, [&] {
    const auto device = Device::open(number);
    const auto shared = shared_memory_on(*device, shape.width, rules);
    return std::make_shared<const Program>(device, compile_gradient(shape.width, rules, device->architecture()),
                                           shared);
  });
  scratch_size_ = (scratch_bytes(shape, rules) + 255) / 256 * 256;
  for (const Kernel& k : program_->gradient.kernels) most_blocks_ = std::max(most_blocks_, k.side_by_side);
  const std::shared_ptr<Device>& device = program_->gradient.device();
  scratch_ = DeviceMemory(device, scratch_size_ * most_blocks_);
  const std::size_t sums = sizeof(float) * most_blocks_ * static_cast<std::size_t>(layout_.size + kFigures);
  sums_ = DeviceMemory(device, sums);
  sums_.clear(sums);
}

GradientOnGpu::~GradientOnGpu() = default;

void GradientOnGpu::compute(const Batch& batch, DevicePointer weights, DevicePointer out) {
  Network network = network_of(layout_.shape, rules_);
  network.weights = reinterpret_cast<const float*>(weights);
  Loss loss{batch.any ? 1 : 0, batch.logit_penalty, 1.0F / static_cast<float>(batch.n)};
  DevicePointer samples = batch.samples, scratch = scratch_.pointer(), sums = sums_.pointer();
  int n = batch.n, size = layout_.size, all = layout_.size + kFigures, rows = static_cast<int>(most_blocks_);
  auto scratch_size = static_cast<long long>(scratch_size_);
  const Device& device = *program_->gradient.device();
  std::array<void*, 8> arguments = {&network, &samples, &n, &loss, &scratch, &scratch_size, &sums, &size};
  for (const Kernel& kernel : program_->gradient.kernels) {
    launch_by_default(device, kernel, std::min(static_cast<unsigned>(n), kernel.side_by_side), arguments.data());
  }
  std::array<void*, 4> sum_arguments = {&sums, &rows, &all, &out};
  launch_by_default(device, program_->add_up, (static_cast<unsigned>(all) + kSumThreads - 1) / kSumThreads,
                    sum_arguments.data());
}

}  // namespace quarto::gpu
