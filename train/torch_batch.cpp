#include "train/torch_batch.h"

#include <algorithm>
#include <vector>

#include "env/encoding.h"
#include "env/random_play.h"
#include "light/counts.h"
#include "model/input.h"
#include "model/network.h"
#include "model/program.h"

namespace quarto {
namespace {

constexpr float kIllegalLogit = -1e9F;

// The counts of packed boards, [N, kBoardWords], on the device where these are.
torch::Tensor counts_of(const gpu::CountsOnGpu& gpu, const torch::Tensor& boards, const NetworkInput& input) {
  const auto n = static_cast<std::size_t>(boards.size(0));
  torch::Tensor counts = torch::zeros(with_rows(n, input), boards.options().dtype(torch::kFloat32));
  gpu.add(reinterpret_cast<gpu::DevicePointer>(boards.data_ptr()), n,
          reinterpret_cast<gpu::DevicePointer>(counts.data_ptr<float>()));
  return counts;
}

}  // namespace

Batch tensors_of(const NetworkConfig& network, std::span<const Target> targets, torch::Device device,
                 const gpu::CountsOnGpu* counts) {
  const auto n = static_cast<std::int64_t>(targets.size());
  // The copies to a GPU are from page-locked memory, so that the host does not wait for them. Planes are sent as bits, and
  // in the place of counts a board.
  const bool gpu = device.is_cuda(), as_bits = gpu && takes_planes(network);
  const auto locked = torch::TensorOptions().pinned_memory(gpu);
  Batch b;
  torch::Tensor bits, boards;
  const NetworkInput input = input_of(network);
  if (as_bits)
    bits = torch::empty({n, kPlanes}, locked.dtype(torch::kInt16));
  else if (counts)
    boards = torch::empty({n, static_cast<std::int64_t>(gpu::kBoardWords)}, locked.dtype(torch::kInt16));
  else
    b.input = torch::empty(with_rows(targets.size(), input), locked);
  b.policy = torch::empty({n, kMoves}, locked);
  b.illegal = torch::empty({n, kMoves}, locked);
  b.wrong = torch::empty({n, kMoves}, locked);
  b.placing = torch::empty({n}, locked);
  b.outcome = torch::empty({n, 3}, locked);
  auto* numbers = as_bits || counts ? nullptr : b.input.data_ptr<float>();
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
    } else if (counts) {
      gpu::pack_board(t.position, std::span<std::uint16_t, gpu::kBoardWords>(words, gpu::kBoardWords));
      words += gpu::kBoardWords;
    } else {
      encode_input(network, t.position, std::span(numbers, input.size));
      numbers += input.size;
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
  torch::Tensor& sent = as_bits ? bits : counts ? boards : b.input;
  for (torch::Tensor* t : {&sent, &b.policy, &b.illegal, &b.wrong, &b.placing, &b.outcome}) *t = t->to(device, true);
  if (as_bits) b.input = planes_of_bits(bits, torch::kFloat32);
  if (counts) b.input = counts_of(*counts, boards, input);
  return b;
}

std::unique_ptr<gpu::CountsOnGpu> counts_on(torch::Device device, const NetworkConfig& network) {
  if (!device.is_cuda() || takes_planes(network)) return nullptr;
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
  const NetworkInput input = input_of(network);
  const torch::Tensor found = counts_of(*counts, boards, input).to(torch::kCPU);
  std::vector<float> wanted(input.size);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    light::encode_counts(positions[i], wanted);
    if (!std::ranges::equal(std::span(found.data_ptr<float>() + i * input.size, input.size), wanted))
      throw gpu::CudaError("its counts are not the processor's");
  }
  return counts;
}

}  // namespace quarto
