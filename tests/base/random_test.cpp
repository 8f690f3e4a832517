#include "base/random.h"

#include <gtest/gtest.h>

#include <array>

namespace quarto {
namespace {

TEST(Rng, TheSameSeedGivesTheSameNumbersAndTheStateCarriesOn) {
  Rng a(7), b(7), c(8);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a(), b());
  EXPECT_NE(a(), c());
  Rng d = Rng::from_state(a.state());
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a(), d());
}

TEST(Rng, BelowIsUniform) {
  Rng rng(1);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) ++counts[rng.below(6)];
  for (const int n : counts) EXPECT_NEAR(n, 10000, 500);
}

TEST(Rng, NormalAndGammaHaveTheirMoments) {
  Rng rng(2);
  constexpr int kN = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kN; ++i) {
    const double x = rng.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kN, 0, 0.01);
  EXPECT_NEAR(squares / kN, 1, 0.02);
  for (const double shape : {0.3, 1.0, 4.0}) {
    double mean = 0, second = 0;
    for (int i = 0; i < kN; ++i) {
      const double x = rng.gamma(shape);
      ASSERT_GE(x, 0);
      mean += x / kN;
      second += x * x / kN;
    }
    EXPECT_NEAR(mean, shape, 0.03 * shape + 0.01);
    EXPECT_NEAR(second - mean * mean, shape, 0.06 * shape + 0.02) << "a gamma's variance is its shape";
  }
}

}  // namespace
}  // namespace quarto
