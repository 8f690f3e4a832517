#include "selfplay/piece_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/assign.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(PieceWeights, NamesRangesAndLeavesTheRestAtOne) {
  const PieceWeights w = PieceWeights::parse("6-9:4  12-16:0.5 3:0", "labels.weights");
  EXPECT_EQ(w.of(0), 1);
  EXPECT_EQ(w.of(3), 0);
  EXPECT_EQ(w.of(5), 1);
  EXPECT_EQ(w.of(6), 4);
  EXPECT_EQ(w.of(9), 4);
  EXPECT_EQ(w.of(10), 1);
  EXPECT_EQ(w.of(16), 0.5);
  for (int n = 0; n <= kSquares; ++n) EXPECT_EQ(PieceWeights::parse("", "x").of(n), 1);
}

TEST(PieceWeights, SaysWhatIsWrong) {
  const auto expect = [](const char* text, const char* says) {
    EXPECT_THAT([&] { PieceWeights::parse(text, "labels.weights"); },
                ThrowsMessage<ConfigError>(testing::AllOf(HasSubstr("labels.weights"), HasSubstr(says))))
        << text;
  };
  expect("6-9", "'6-9' has no weight");
  expect("6-9:", "has no weight");
  expect("6-9:4x", "has no weight");
  expect("6-:4", "no number after the dash");
  expect("9-6:4", "not a range of 0 to 16");
  expect("16-17:4", "not a range of 0 to 16");
  expect("5:1 4-6:2", "'4-6:2' names pieces that were named before");
  expect("5:-1", "not in 0 to 1000");
  expect("5:nan", "not in 0 to 1000");
  expect("high", "does not begin with a number");
}

TEST(WeightedDraw, DrawsByWeightAndNeverWhatHasNone) {
  const std::array<double, 4> weights = {0, 3, 1, 0};
  const WeightedDraw draw(weights);
  Rng rng(3);
  std::array<int, 4> drawn{};
  for (int i = 0; i < 8000; ++i) ++drawn[draw(rng)];
  EXPECT_EQ(drawn[0], 0);
  EXPECT_EQ(drawn[3], 0);
  EXPECT_NEAR(drawn[1], 6000, 250);
  const std::array<double, 2> none = {0, 0};
  EXPECT_TRUE(WeightedDraw(none).empty());
}

TEST(WeightedDraw, EqualWeightsTakeTheSameNumbersAsBelow) {
  const std::array<double, 5> weights = {2, 2, 2, 2, 2};
  const WeightedDraw draw(weights);
  Rng a(4), b(4);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(draw(a), b.below(5));
}

}  // namespace
}  // namespace quarto
