#include "base/portable_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/random.h"

namespace quarto::portable {
namespace {

TEST(PortableMath, IsNearTheSystems) {
  Rng rng(1);
  for (int i = 0; i < 200'000; ++i) {
    const double x = (rng.uniform() - 0.5) * (i % 2 == 0 ? 1400 : 10);
    if (x > -708) {
      const double wanted = std::exp(static_cast<long double>(x));
      EXPECT_NEAR(exp(x) / wanted, 1, 4e-16) << x;
    }
    const double y = std::exp(x);
    if (y < std::numeric_limits<double>::min()) continue;
    const auto wanted = static_cast<double>(std::log(static_cast<long double>(y)));
    EXPECT_NEAR(log(y), wanted, 3e-16 * (1 + std::abs(wanted))) << y;
  }
}

TEST(PortableMath, HasExactPlaces) {
  EXPECT_EQ(exp(0), 1);
  EXPECT_EQ(log(1), 0);
  EXPECT_EQ(exp(-709), 0);
  EXPECT_EQ(exp(710), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(exp(std::numeric_limits<double>::quiet_NaN())));
}

// The bits of both over all of their ranges: another compiler or processor has the same.
TEST(PortableMath, IsTheSameOnEveryMachine) {
  std::uint64_t digest = 0;
  for (int i = -60'000; i <= 60'000; ++i) {
    const double x = i * 0.01171875;
    digest = digest * 31 + std::bit_cast<std::uint64_t>(exp(x));
    if (i > 0) digest = digest * 31 + std::bit_cast<std::uint64_t>(log(x)) + std::bit_cast<std::uint64_t>(log(1 / x));
  }
  EXPECT_EQ(digest, 18245689879775326370U);
}

}  // namespace
}  // namespace quarto::portable
