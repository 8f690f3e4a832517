#include "gpu/pairs_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "gpu/arguments.h"
#include "light/floats.h"
#include "light/pairs_kernel.h"
#include "tests/gpu/block_of_threads.h"
#include "tests/gpu/wanted_gradient.h"
#include "tests/light/some_weights.h"
#include "tests/support/sanitized.h"

namespace quarto::gpu {
namespace {

using light::Floats, light::PairsLayout, light::PairsShape, light::some_weights;

template <int W, int N, int LINES>
void expect_the_kernels_gradient(int blocks, int most_positions, int threads = 1, bool any = false) {
  const int count = threads > 1 ? most_positions : repeated(repeated(most_positions));
  const Rules rules = LINES == 10 ? Rules::lines : Rules::squares;
  const PairsShape shape{W, blocks, kHeadWidth};
  const int size = PairsLayout(shape).size;
  const Floats weights = some_weights(shape, 7);
  Network network = network_of(shape, rules);
  network.weights = weights.data();
  const auto positions = some_positions(count, N, rules, static_cast<std::uint64_t>(W + N));
  const auto samples = some_samples(positions, 3);
  const Loss loss{any ? 1 : 0, 0.01F, 1.0F / static_cast<float>(count)};

  // What a step reads that none has written is this, and not zero.
  const auto shared = std::make_unique<Shared<W, N, LINES>>();
  std::memset(static_cast<void*>(shared.get()), 0xFF, sizeof *shared);
  using Scratch = GradientScratch<W, N, LINES>;
  std::vector<float> memory((sizeof(Scratch) + static_cast<std::size_t>(blocks + 1) * sizeof(Tape<W, N, LINES>)) / 4);
  std::memset(memory.data(), 0xFF, memory.size() * 4);
  std::vector<float> found(static_cast<std::size_t>(size + kFigures));
  run_block(threads, [&](auto& member) {
    add_gradient<W, N, 1, LINES>(network, *shared, member, samples.data(), count, 0, 1, loss,
                                 *reinterpret_cast<Scratch*>(memory.data()), found.data(), size);
  });
  expect_gradient(found, wanted_gradient(shape, weights, positions, samples, loss), shape);
}

TEST(PairsGradient, IsTheKernels) {
  expect_the_kernels_gradient<16, 16, 10>(3, 200);
  expect_the_kernels_gradient<32, 16, 10>(2, 100);
  expect_the_kernels_gradient<48, 16, 10>(1, 50);
  expect_the_kernels_gradient<64, 16, 10>(4, 30);
}

TEST(PairsGradient, IsTheKernelsUnderTheSecondRules) {
  expect_the_kernels_gradient<16, 16, 19>(1, 200);
  expect_the_kernels_gradient<32, 12, 19>(4, 50);
  expect_the_kernels_gradient<64, 16, 19>(1, 20);
}

TEST(PairsGradient, IsTheKernelsWithLessMemoryAndForAnyMove) {
  expect_the_kernels_gradient<16, 8, 10>(2, 200, 1, true);
  expect_the_kernels_gradient<32, 12, 10>(2, 50, 1, true);
  expect_the_kernels_gradient<32, 8, 19>(2, 50, 1, true);
}

TEST(PairsGradient, ThreadsShareTheWork) {
  expect_the_kernels_gradient<16, 16, 10>(2, 10, 5);
  expect_the_kernels_gradient<16, 8, 19>(1, 10, 3);
  expect_the_kernels_gradient<32, 12, 10>(1, 4, 4);
}

}  // namespace
}  // namespace quarto::gpu
