#include "train/torch_batch.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

NetworkConfig pairs(int placements, Rules rules = Rules::lines) {
  NetworkConfig network;
  network.kind = NetworkKind::pairs;
  network.placements = placements;
  network.rules = rules;
  return network;
}

TEST(CountsOn, AProcessorIsNotNeeded) { EXPECT_EQ(counts_on(torch::kCPU, pairs(4)), nullptr); }

// counts_on() compares them.
TEST(CountsOn, OnAGpuTheyAreThoseOfTheProcessor) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const torch::Device gpu(torch::kCUDA, 0);
  EXPECT_EQ(counts_on(gpu, pairs(2)), nullptr);
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (const int placements : {3, 4}) EXPECT_NE(counts_on(gpu, pairs(placements, rules)), nullptr);
  }
}

}  // namespace
}  // namespace quarto
