#include "eval/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"

namespace quarto {
namespace {

// The figures are those of Newcombe, "Two-sided confidence intervals for the single proportion" (1998), method 3.
TEST(Wilson, AgreesWithPublishedIntervals) {
  struct Case {
    double successes, n, low, high;
  };
  for (const Case& c : {Case{81, 263, 0.2553, 0.3662}, Case{15, 148, 0.0624, 0.1605}, Case{0, 20, 0.0, 0.1611},
                        Case{1, 29, 0.0061, 0.1718}}) {
    const Interval i = wilson(c.successes, c.n);
    EXPECT_NEAR(i.low, c.low, 5e-5) << c.successes << "/" << c.n;
    EXPECT_NEAR(i.high, c.high, 5e-5) << c.successes << "/" << c.n;
  }
}

TEST(Wilson, IsSymmetricInSuccessAndFailure) {
  for (const double s : {0.0, 0.5, 3.0, 7.25, 10.0}) {
    const Interval a = wilson(s, 10), b = wilson(10 - s, 10);
    EXPECT_NEAR(a.low, 1 - b.high, 1e-12);
    EXPECT_LE(a.low, s / 10);
    EXPECT_GE(a.high, s / 10);
  }
}

TEST(Wilson, KnowsNothingFromNoObservations) {
  EXPECT_EQ(wilson(0, 0).low, 0);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

TEST(Elo, AScoreOfTenElevenths) {
  EXPECT_NEAR(*score_to_elo(10.0 / 11.0), 400, 1e-9);
  EXPECT_NEAR(elo_to_score(400), 10.0 / 11.0, 1e-12);
  EXPECT_NEAR(*score_to_elo(elo_to_score(-123.4)), -123.4, 1e-9);
  EXPECT_FALSE(score_to_elo(1).has_value());
  EXPECT_FALSE(score_to_elo(0).has_value());
}

TEST(Elo, EvenPairsAreNoDifferenceAtAll) {
  const std::vector<PairScore> pairs(200, PairScore{1, 0});
  const EloEstimate e = estimate_elo(pairs);
  EXPECT_EQ(e.score, 0.5);
  EXPECT_NEAR(e.elo.value(), 0, 1e-9);
  // Never certain, but much narrower than for coins: every pair came out even.
  EXPECT_LT(e.low.value(), 0);
  EXPECT_GT(e.low.value(), -5);
}

TEST(Elo, APerfectScoreHasALowerBoundOnly) {
  const std::vector<PairScore> pairs(50, PairScore{1, 1});
  const EloEstimate e = estimate_elo(pairs);
  EXPECT_FALSE(e.elo.has_value());
  EXPECT_FALSE(e.high.has_value());
  ASSERT_TRUE(e.low.has_value());
  // Wilson's lower bound for 50 of 50 is 1 / (1 + z^2 / 50) = 0.9287.
  EXPECT_NEAR(e.score_interval.low, 0.9287, 1e-4);
  const EloEstimate lost = estimate_elo(std::vector<PairScore>(50, PairScore{0, 0}));
  EXPECT_FALSE(lost.low.has_value());
  EXPECT_NEAR(lost.high.value(), -e.low.value(), 1e-9);
}

TEST(Elo, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  // Wins 30%, draws 50%, losses 20%, games of a pair independent.
  Rng rng(1);
  const auto game = [&] {
    const double u = rng.uniform();
    return u < 0.3 ? 1.0 : u < 0.8 ? 0.5 : 0.0;
  };
  int held = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<PairScore> pairs;
    for (int i = 0; i < 60; ++i) pairs.push_back({game(), game()});
    const EloEstimate e = estimate_elo(pairs);
    if (e.score_interval.low <= 0.55 && 0.55 <= e.score_interval.high) ++held;
  }
  EXPECT_GT(held, 0.935 * kRuns);
  EXPECT_LT(held, 0.975 * kRuns);
}

}  // namespace
}  // namespace quarto
