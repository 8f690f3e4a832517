#include "train/gpu_gradient.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

// The constructor compares it.
TEST(GpuGradient, OnAGpuItIsThatOfTheProcessor) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  NetworkConfig network;
  network.kind = NetworkKind::pairs;
  for (const auto& [rules, width] : {std::pair{Rules::lines, 16}, {Rules::squares, 32}, {Rules::lines, 64}}) {
    network.rules = rules;
    network.width = width;
    EXPECT_NO_THROW(GpuGradient(network, torch::Device(torch::kCUDA, 0)));
  }
}

}  // namespace
}  // namespace quarto
