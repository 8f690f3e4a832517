#include "light/vectors.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace quarto::light {
namespace {

Floats random_floats(int n, Rng& rng) {
  Floats x(static_cast<std::size_t>(n));
  for (float& v : x) v = static_cast<float>(rng.normal());
  return x;
}

// Against three loops, for every number of rows that takes another path.
template <int IN, int OUT>
void expect_products(Rng& rng) {
  for (int rows = 0; rows <= 19; ++rows) {
    const Floats x = random_floats(rows * IN, rng), m = random_floats(IN * OUT, rng),
                 d = random_floats(rows * OUT, rng);
    Floats y = random_floats(rows * OUT, rng), dm = random_floats(IN * OUT, rng);
    Floats expected = y, expected_dm = dm;
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
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected[i], 1e-4) << IN << "x" << OUT << ", " << rows;
    for (std::size_t i = 0; i < dm.size(); ++i) ASSERT_NEAR(dm[i], expected_dm[i], 1e-4) << IN << "x" << OUT;
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

TEST(Vectors, PositiveAndLarger) {
  Lane x{}, y{};
  for (int i = 0; i < kLane; ++i) {
    x[i] = static_cast<float>(i - 8);
    y[i] = 3;
  }
  for (int i = 0; i < kLane; ++i) {
    EXPECT_EQ(positive(x)[i], std::max(0.0F, static_cast<float>(i - 8)));
    EXPECT_EQ(larger(x, y)[i], std::max(3.0F, static_cast<float>(i - 8)));
  }
}

}  // namespace
}  // namespace quarto::light
