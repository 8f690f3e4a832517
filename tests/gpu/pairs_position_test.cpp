#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "env/notation.h"
#include "gpu/arguments.h"
#include "light/floats.h"
#include "light/pairs_kernel.h"
#include "tests/gpu/block_of_threads.h"
#include "tests/light/some_weights.h"
#include "tests/support/sanitized.h"

namespace quarto::gpu {
namespace {

using light::Floats, light::PairsKernel, light::PairsOutput, light::PairsShape, light::some_weights;

using Logits = std::array<float, kLogits>;

template <int W, int N, int LINES, int PARTS>
std::vector<Logits> forward(const Network& network, const std::vector<Position>& positions, int threads) {
  std::vector<Logits> logits(positions.size());
  // What a step reads that none has written is this, and not zero.
  const auto shared = std::make_unique<Shared<W, N, LINES>>();
  std::memset(static_cast<void*>(shared.get()), 0xFF, sizeof *shared);
  run_block<PARTS>(threads, [&](auto& member) {
    Forward<W, N, LINES, std::remove_reference_t<decltype(member)>> kernel(network, *shared, member);
    for (std::size_t i = 0; i < positions.size(); ++i) kernel.run(board_of(positions[i]), logits[i].data());
  });
  return logits;
}

template <int W, int N, int LINES, int PARTS = 1>
void expect_the_kernels_numbers(int blocks, int most_positions, int threads = 1) {
  // With sanitizers this file is not even optimized; but threads must meet often enough to be seen.
  const int positions = threads > 1 ? most_positions : repeated(repeated(most_positions));
  const Rules rules = LINES == 10 ? Rules::lines : Rules::squares;
  const PairsShape shape{W, blocks, kHeadWidth};
  const Floats weights = some_weights(shape, 7);
  Network network = network_of(shape, rules);
  network.weights = weights.data();
  const auto kernel = PairsKernel::make(shape, weights);
  const auto workspace = kernel->new_workspace();
  const auto boards = some_positions(positions, N, rules, static_cast<std::uint64_t>(W + N));
  const auto found = forward<W, N, LINES, PARTS>(network, boards, threads);
  if constexpr (PARTS > 1) {
    EXPECT_EQ(found, (forward<W, N, LINES, 1>(network, boards, 1))) << "bit by bit";
  }
  for (std::size_t i = 0; i < boards.size(); ++i) {
    const Position& p = boards[i];
    const PairsOutput expected = kernel->forward(p, *workspace);
    float size = 1;
    for (const float x : expected.policy) size = std::max(size, std::abs(x));
    const int head = p.phase() == Phase::place ? 0 : kMoves;
    for (int m = 0; m < kMoves; ++m) {
      ASSERT_NEAR(found[i][static_cast<std::size_t>(head + m)], expected.policy[static_cast<std::size_t>(m)],
                  1e-5F * size)
          << to_string(p) << " move " << m;
      EXPECT_EQ(found[i][static_cast<std::size_t>(kMoves - head + m)], 0);
    }
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_NEAR(found[i][2 * kMoves + k], expected.outcome[k], 1e-5F * std::max(1.0F, std::abs(expected.outcome[k])))
          << to_string(p);
  }
}

TEST(PairsPosition, HasTheKernelsNumbers) {
  expect_the_kernels_numbers<16, 16, 10>(3, 800);
  expect_the_kernels_numbers<32, 16, 10>(2, 200);
  expect_the_kernels_numbers<48, 16, 10>(1, 100);
  expect_the_kernels_numbers<64, 16, 10>(4, 50);
}

TEST(PairsPosition, HasTheKernelsNumbersUnderTheSecondRules) {
  expect_the_kernels_numbers<16, 16, 19>(3, 400);
  expect_the_kernels_numbers<32, 16, 19>(1, 100);
  expect_the_kernels_numbers<64, 16, 19>(1, 30);
}

TEST(PairsPosition, LessMemoryIsEnoughForBoardsWithFewerEmptySquares) {
  expect_the_kernels_numbers<16, 12, 10>(2, 300);
  expect_the_kernels_numbers<16, 8, 10>(2, 400);
  expect_the_kernels_numbers<32, 12, 19>(2, 100);
  expect_the_kernels_numbers<32, 8, 19>(2, 200);
}

TEST(PairsPosition, ThreadsShareTheWork) {
  expect_the_kernels_numbers<16, 16, 10>(2, 30, 5);
  expect_the_kernels_numbers<16, 8, 19>(1, 30, 3);
  expect_the_kernels_numbers<32, 12, 10>(1, 10, 4);
}

TEST(PairsPosition, ThreadsShareTheChannelsOfAPair) {
  expect_the_kernels_numbers<16, 8, 10, 2>(2, 10, 6);
  expect_the_kernels_numbers<48, 12, 10, 4>(1, 4, 4);
  expect_the_kernels_numbers<64, 16, 19, 4>(2, 3, 8);
}

}  // namespace
}  // namespace quarto::gpu
