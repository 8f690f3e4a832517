#include "train/torch_batch.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

NetworkConfig pairs(Rules rules = Rules::lines) {
  NetworkConfig network;
  network.kind = NetworkKind::pairs;
  network.rules = rules;
  return network;
}

TEST(CountsOn, AProcessorIsNotNeeded) { EXPECT_EQ(counts_on(torch::kCPU, pairs()), nullptr); }

// counts_on() compares them.
TEST(CountsOn, OnAGpuTheyAreThoseOfTheProcessor) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const torch::Device gpu(torch::kCUDA, 0);
  for (const Rules rules : {Rules::lines, Rules::squares}) EXPECT_NE(counts_on(gpu, pairs(rules)), nullptr);
}

}  // namespace
}  // namespace quarto
