#include "light/vectors.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"

namespace quarto::light {
namespace {

Floats random_floats(int n, Rng& rng) {
  Floats x(static_cast<std::size_t>(n));
  for (float& v : x) v = static_cast<float>(rng.normal());
  return x;
}

// Against three loops, for every number of rows that takes another path, and for inputs of which none to all are zero.
template <int IN, int OUT>
void expect_products(Rng& rng) {
  for (int rows = 0; rows <= 19; ++rows) {
    Floats x = random_floats(rows * IN, rng);
    for (float& v : x) v = rng.below(3) < static_cast<std::uint64_t>(rows % 4) ? 0.0F : v;
    const Floats m = random_floats(IN * OUT, rng), d = random_floats(rows * OUT, rng);
    Floats y = random_floats(rows * OUT, rng), dm = random_floats(IN * OUT, rng);
    Floats expected = y, expected_dm = dm, y_some = y, dm_some = dm;
    for (int r = 0; r < rows; ++r) {
      for (int i = 0; i < IN; ++i) {
        for (int o = 0; o < OUT; ++o) {
          const auto at = [](int row, int width, int column) { return static_cast<std::size_t>(row * width + column); };
          expected[at(r, OUT, o)] += x[at(r, IN, i)] * m[at(i, OUT, o)];
          expected_dm[at(i, OUT, o)] += x[at(r, IN, i)] * d[at(r, OUT, o)];
        }
      }
    }
    multiply_add<IN, OUT>(x.data(), m.data(), y.data(), rows);
    multiply_gradient<IN, OUT>(x.data(), d.data(), dm.data(), rows);
    multiply_add_some<IN, OUT>(x.data(), m.data(), y_some.data(), rows);
    multiply_gradient_some<IN, OUT>(x.data(), d.data(), dm_some.data(), rows);
    for (std::size_t i = 0; i < y.size(); ++i) {
      ASSERT_NEAR(y[i], expected[i], 1e-4) << IN << "x" << OUT << ", " << rows;
      ASSERT_NEAR(y_some[i], expected[i], 1e-4) << IN << "x" << OUT << ", " << rows;
    }
    for (std::size_t i = 0; i < dm.size(); ++i) {
      ASSERT_NEAR(dm[i], expected_dm[i], 1e-4) << IN << "x" << OUT;
      ASSERT_NEAR(dm_some[i], expected_dm[i], 1e-4) << IN << "x" << OUT;
    }
  }
}

TEST(Vectors, ProductsAreThoseOfThreeLoops) {
  Rng rng(1);
  expect_products<16, 16>(rng);
  expect_products<32, 16>(rng);
  expect_products<48, 16>(rng);
  expect_products<48, 32>(rng);
  expect_products<64, 64>(rng);
  expect_products<96, 48>(rng);
  expect_products<32, 96>(rng);
}

TEST(Vectors, ActOnEveryElement) {
  Floats x(kLane), y(kLane, 3.0F), z(kLane);
  for (int i = 0; i < kLane; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i - 8);
  x[5] = std::numeric_limits<float>::quiet_NaN();
  const Lane a = *lanes(x.data()), b = *lanes(y.data());
  for (int i = 0; i < kLane; ++i) {
    const float v = x[static_cast<std::size_t>(i)];
    if (i == 5) {  // not a number counts as less
      EXPECT_EQ(positive(a)[i], 0.0F);
      EXPECT_EQ(larger(a, b)[i], 3.0F);
      EXPECT_EQ(where_positive(a, b)[i], 0.0F);
      continue;
    }
    EXPECT_EQ(a[i], v);
    EXPECT_EQ(positive(a)[i], std::max(0.0F, v));
    EXPECT_EQ(larger(a, b)[i], std::max(3.0F, v));
    EXPECT_EQ((a + b)[i], v + 3);
    EXPECT_EQ((a - b)[i], v - 3);
    EXPECT_EQ((a * b)[i], v * 3);
    EXPECT_EQ((a / b)[i], v / 3);
    EXPECT_EQ((2.0F * a)[i], 2 * v);
    EXPECT_EQ(where_positive(a, b)[i], v > 0 ? 3.0F : 0.0F);
    EXPECT_EQ(where_equal(a, b, ones())[i], v == 3.0F ? 1.0F : 0.0F);
  }
}

}  // namespace
}  // namespace quarto::light
