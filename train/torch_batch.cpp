#include "train/torch_batch.h"

#include <algorithm>

#include "env/encoding.h"
#include "model/input.h"
#include "model/program.h"

namespace quarto {
namespace {

constexpr float kIllegalLogit = -1e9F;

}  // namespace

Batch tensors_of(const NetworkConfig& network, std::span<const Target> targets, torch::Device device) {
  const auto n = static_cast<std::int64_t>(targets.size());
  // The copies to a GPU are from page-locked memory, so that the host does not wait for them. Planes are sent as bits.
  const bool gpu = device.is_cuda(), as_bits = gpu && takes_planes(network);
  const auto locked = torch::TensorOptions().pinned_memory(gpu);
  Batch b;
  torch::Tensor bits;
  const NetworkInput input = input_of(network);
  if (as_bits)
    bits = torch::empty({n, kPlanes}, locked.dtype(torch::kInt16));
  else
    b.input = torch::empty(with_rows(targets.size(), input), locked);
  b.policy = torch::empty({n, kMoves}, locked);
  b.illegal = torch::empty({n, kMoves}, locked);
  b.wrong = torch::empty({n, kMoves}, locked);
  b.placing = torch::empty({n}, locked);
  b.outcome = torch::empty({n, 3}, locked);
  auto* numbers = as_bits ? nullptr : b.input.data_ptr<float>();
  auto* masks = as_bits ? static_cast<Mask*>(bits.data_ptr()) : nullptr;
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
  torch::Tensor& sent = as_bits ? bits : b.input;
  for (torch::Tensor* t : {&sent, &b.policy, &b.illegal, &b.wrong, &b.placing, &b.outcome}) *t = t->to(device, true);
  if (as_bits) b.input = planes_of_bits(bits, torch::kFloat32);
  return b;
}

}  // namespace quarto
