#include "train/torch_batch.h"

#include <algorithm>
#include <vector>

#include "env/encoding.h"
#include "env/random_play.h"
#include "light/count_planes.h"
#include "model/input.h"
#include "model/program.h"

namespace quarto {
namespace {

constexpr float kIllegalLogit = -1e9F;

// Adds the counts of the positions to the last planes of `planes`, which are zeros. Boards are [N, kBoardWords].
void add_counts(const gpu::CountsOnGpu& counts, const torch::Tensor& boards, torch::Tensor& planes) {
  counts.add(reinterpret_cast<gpu::DevicePointer>(boards.data_ptr()), static_cast<std::size_t>(boards.size(0)),
             reinterpret_cast<gpu::DevicePointer>(planes.data_ptr<float>() + kInputSize),
             static_cast<std::size_t>(planes[0].numel()));
}

}  // namespace

Batch tensors_of(const NetworkConfig& network, std::span<const Target> targets, torch::Device device,
                 const gpu::CountsOnGpu* counts) {
  const auto n = static_cast<std::int64_t>(targets.size());
  // The copies to a GPU are from page-locked memory, so that the host does not wait for them, and positions are sent as
  // bits.
  const bool gpu = device.is_cuda(), as_bits = gpu && (input_planes(network) == kPlanes || counts);
  const auto locked = torch::TensorOptions().pinned_memory(gpu);
  Batch b;
  torch::Tensor bits, boards;
  const auto input_size = static_cast<std::size_t>(input_planes(network) * kSquares);
  if (as_bits)
    bits = torch::empty({n, kPlanes}, locked.dtype(torch::kInt16));
  else
    b.planes = torch::empty({n, input_planes(network), kSide, kSide}, locked);
  if (counts) boards = torch::empty({n, static_cast<std::int64_t>(gpu::kBoardWords)}, locked.dtype(torch::kInt16));
  b.policy = torch::empty({n, kMoves}, locked);
  b.illegal = torch::empty({n, kMoves}, locked);
  b.wrong = torch::empty({n, kMoves}, locked);
  b.placing = torch::empty({n}, locked);
  b.outcome = torch::empty({n, 3}, locked);
  auto* planes = as_bits ? nullptr : b.planes.data_ptr<float>();
  auto* masks = as_bits ? static_cast<Mask*>(bits.data_ptr()) : nullptr;
  auto* words = counts ? static_cast<std::uint16_t*>(boards.data_ptr()) : nullptr;
  auto* policy = b.policy.data_ptr<float>();
  auto* illegal = b.illegal.data_ptr<float>();
  auto* wrong = b.wrong.data_ptr<float>();
  auto* placing = b.placing.data_ptr<float>();
  auto* outcome = b.outcome.data_ptr<float>();
  for (const Target& t : targets) {
    if (as_bits) {
      encode_bits(t.position, std::span(masks, kPlanes));
      masks += kPlanes;
    } else {
      encode_input(network, t.position, std::span(planes, input_size));
      planes += input_size;
    }
    if (counts) {
      gpu::pack_board(t.position, std::span<std::uint16_t, gpu::kBoardWords>(words, gpu::kBoardWords));
      words += gpu::kBoardWords;
    }
    const Mask legal = t.position.legal_moves();
    const bool asked = std::any_of(t.policy.begin(), t.policy.end(), [](float share) { return share > 0; });
    for (int m = 0; m < kMoves; ++m) {
      *policy++ = t.policy[static_cast<std::size_t>(m)];
      *illegal++ = (legal >> m) & 1 ? 0.0F : kIllegalLogit;
      *wrong++ = t.policy[static_cast<std::size_t>(m)] > 0 || !asked ? 0.0F : kIllegalLogit;
    }
    *placing++ = t.position.phase() == Phase::place ? 1.0F : 0.0F;
    for (const float p : t.outcome) *outcome++ = p;
  }
  if (!gpu) return b;
  torch::Tensor& input = as_bits ? bits : b.planes;
  for (torch::Tensor* t : {&input, &b.policy, &b.illegal, &b.wrong, &b.placing, &b.outcome}) *t = t->to(device, true);
  if (as_bits) b.planes = planes_of_bits(bits, torch::kFloat32);
  if (counts) {
    boards = boards.to(device, true);
    torch::Tensor whole = torch::zeros({n, input_planes(network), kSide, kSide}, b.planes.options());
    whole.slice(1, 0, kPlanes).copy_(b.planes);
    add_counts(*counts, boards, whole);
    b.planes = whole;
  }
  return b;
}

std::unique_ptr<gpu::CountsOnGpu> counts_on(torch::Device device, const NetworkConfig& network) {
  if (!device.is_cuda() || input_planes(network) == kPlanes) return nullptr;
  if (!gpu::kernels_wanted()) throw gpu::CudaError("QUARTOZERO_GPU_KERNELS=0 forbids our own kernels");
  auto counts = std::make_unique<gpu::CountsOnGpu>(network.rules, device.has_index() ? device.index() : 0);
  const std::vector<Position> positions = unfinished_positions(200, network.rules, 1);
  const auto n = static_cast<std::int64_t>(positions.size());
  torch::Tensor boards = torch::empty({n, static_cast<std::int64_t>(gpu::kBoardWords)}, torch::kInt16);
  auto* words = static_cast<std::uint16_t*>(boards.data_ptr());
  for (const Position& p : positions) {
    gpu::pack_board(p, std::span<std::uint16_t, gpu::kBoardWords>(words, gpu::kBoardWords));
    words += gpu::kBoardWords;
  }
  boards = boards.to(device);
  torch::Tensor planes = torch::zeros({n, input_planes(network), kSide, kSide}, torch::TensorOptions().device(device));
  add_counts(*counts, boards, planes);
  planes = planes.to(torch::kCPU);
  const auto input_size = static_cast<std::size_t>(planes[0].numel());
  std::vector<float> wanted(input_size - kInputSize);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    light::encode_counts(positions[i], wanted);
    if (!std::ranges::equal(std::span(planes.data_ptr<float>() + i * input_size + kInputSize, wanted.size()), wanted))
      throw gpu::CudaError("its counts are not the processor's");
  }
  return counts;
}

}  // namespace quarto
