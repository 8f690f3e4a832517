// GpuGradient with tests/gpu/fake_cuda.cpp in the place of CUDA, so that "its device" is the processor.
#include <gmock/gmock.h>

#include <cstdlib>

#include "base/random.h"
#include "env/random_play.h"
#include "model/network.h"
#include "model/pairs.h"
#include "tests/support/message_of.h"
#include "train/gpu_gradient.h"
#include "train/pairs_gradient.h"

namespace quarto {
namespace {

const bool kFaked =
    setenv("QUARTOZERO_CUDA_DRIVER", FAKE_CUDA, 1) == 0 && setenv("QUARTOZERO_NVRTC", FAKE_CUDA, 1) == 0;

TEST(GpuGradient, IsThatOfTheProcessor) {
  ASSERT_TRUE(kFaked);
  NetworkConfig config;
  config.kind = NetworkKind::pairs;
  config.width = 16;
  config.blocks = 2;
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    config.rules = rules;
    GpuGradient gpu(config, torch::kCPU);  // compares too
    const auto network = std::dynamic_pointer_cast<PairsNetwork>(make_network(config));
    std::vector<torch::Tensor> parts;
    for (const torch::Tensor& p : network->parameters()) parts.push_back(p.detach().flatten());
    torch::Tensor weights = torch::cat(parts);
    Rng rng(3);
    for (const bool any : {false, true}) {
      std::vector<Target> targets;
      for (const Position& p : unfinished_positions(40, rules, 7)) {
        Target t{p, {}, {}};
        if (rng.below(3) > 0) t.policy[static_cast<std::size_t>(*BitsOf(p.legal_moves()).begin())] = 1;
        if (rng.below(3) > 0) t.outcome[rng.below(3)] = 1;
        targets.push_back(t);
      }
      const auto sums = PairsGradient(*network, 1).compute(targets, any, 0.02);
      std::vector<torch::Tensor> wanted;
      for (const torch::Tensor& p : network->parameters()) wanted.push_back(p.grad().flatten());
      const torch::Tensor figures = gpu.compute(targets, any, 0.02, weights);
      EXPECT_TRUE(torch::allclose(weights.grad(), torch::cat(wanted), 1e-3, 1e-6));
      const double n = static_cast<double>(targets.size());
      const double expected[] = {
          sums.place,  sums.give, sums.outcome / sums.outcomes, (sums.place + sums.give + sums.outcome) / n,
          sums.places, sums.gives};
      ASSERT_EQ(figures.numel(), 6);
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(figures[i].item<double>(), expected[i], 1e-4 * (1 + expected[i])) << i;
    }
    // A weight that is not a number shows in the loss.
    weights.fill_(std::nanf(""));
    EXPECT_FALSE(std::isfinite(
        gpu.compute({{{unfinished_positions(1, rules, 1)[0], {}, {1, 0, 0}}}}, false, 0, weights)[3].item<double>()));
  }
}

TEST(GpuGradient, SaysWhyItCannotBeMade) {
  NetworkConfig config;
  config.kind = NetworkKind::pairs;
  config.width = 64;
  EXPECT_THAT(message_of([&] { GpuGradient(config, torch::kCPU); }), testing::HasSubstr("shared memory"));
}

}  // namespace
}  // namespace quarto
