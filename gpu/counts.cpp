#include "gpu/counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>

#include "gpu/arguments.h"
#include "light/counts.h"

namespace quarto::gpu {

static_assert(sizeof(Board) == kBoardWords * sizeof(std::uint16_t));

void pack_board(const Position& position, std::span<std::uint16_t, kBoardWords> out) {
  std::ranges::copy(std::bit_cast<std::array<std::uint16_t, kBoardWords>>(board_of(position)), out.begin());
}

Compiled compile_counts(Rules rules, const std::string& architecture, bool verbose) {
  return compile_embedded("gpu/counts.cu", architecture,
                          {verbose ? "--ptxas-options=-v" : "--ptxas-options=-O3",
                           fmt::format("-DQUARTO_LINES={}", rule_set(rules).size())});
}

CountsOnGpu::CountsOnGpu(Rules rules, int number) : rules_(rules) {
  kernels_ = made_once(std::tuple{number, rules}, [&] {
    const auto device = Device::open(number);
    const auto shared = with_rules(rules, [](auto constant) -> std::vector<std::size_t> {
      constexpr int kLines = rule_set(constant()).size();
      return {sizeof(Seen<8, kLines>), sizeof(Seen<12, kLines>), sizeof(Seen<16, kLines>)};
    });
    return std::make_shared<const BoardKernels>(device, compile_counts(rules, device->architecture()).cubin, "counts",
                                                shared, "the input of a pairs network");
  });
}

void CountsOnGpu::add(DevicePointer boards, std::size_t n, DevicePointer rows) const {
  if (n == 0) return;
  Network network = network_of(rules_);
  int count = static_cast<int>(n);
  long long floats = light::counts_size(rules_);
  std::array<void*, 5> arguments = {&network, &boards, &count, &rows, &floats};
  for (const Kernel& kernel : kernels_->kernels) {
    launch_by_default(*kernels_->device(), kernel, std::min(static_cast<unsigned>(n), kernel.side_by_side),
                      arguments.data());
  }
}

}  // namespace quarto::gpu
