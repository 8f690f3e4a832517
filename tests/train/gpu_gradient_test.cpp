#include "train/gpu_gradient.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

// The constructor compares it.
TEST(GpuGradient, OnAGpuItIsThatOfTheProcessor) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  NetworkConfig network;
  network.kind = NetworkKind::pairs;
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    network.rules = rules;
    EXPECT_NO_THROW(GpuGradient(network, torch::Device(torch::kCUDA, 0)));
  }
}

}  // namespace
}  // namespace quarto
