#include "eval/tune.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/suites.h"

namespace quarto {
namespace {

// A tenth of the default suites.
std::vector<Suite> few() {
  std::vector<Suite> suites = read_suites(default_suites());
  for (Suite& suite : suites) {
    std::vector<SuiteEntry> kept;
    for (std::size_t i = 0; i < suite.entries.size(); i += 10) kept.push_back(suite.entries[i]);
    suite.entries = std::move(kept);
  }
  return suites;
}

TuneOptions quick_tune() {
  TuneOptions options;
  options.strangler.depth = 1;
  options.step = 45;
  return options;
}

TEST(Tune, ReportsTheBestOfWhatItTriedOnPositionsItDidNotTuneOn) {
  std::size_t done = 0, total = 0;
  TuneOptions options = quick_tune();
  options.on_progress = [&](std::size_t d, std::size_t t) {
    EXPECT_GE(d, done);
    done = d;
    total = t;
  };
  const TuneReport report = tune_strangler(few(), options);
  EXPECT_EQ(done, total);
  EXPECT_EQ(report.angles.size(), 8U + 2 * 5);  // steps of 22.5, 11.25, 5.6, 2.8 and 1.4 degrees
  for (const TunedWeights& w : report.angles) {
    EXPECT_NEAR(std::hypot(w.safe, w.traps), 1, 1e-12);
    EXPECT_GT(w.angle, -180);
    EXPECT_LE(w.angle, 180);
    EXPECT_LE(w.tuning.hits, report.best.tuning.hits);
  }
  EXPECT_DOUBLE_EQ(report.given.safe, 2.21);
  EXPECT_NEAR(report.given.angle, 9.5, 0.01);
  // Halves of about the same size, and what only one of the two gets right explains the difference.
  const auto tuned = static_cast<double>(report.best.tuning.n);
  EXPECT_NEAR(tuned / (tuned + static_cast<double>(report.best_report.n)), 0.5, 0.08);
  EXPECT_EQ(report.best_report.hits + report.only_given, report.given_report.hits + report.only_best);
}

TEST(Tune, FindsThatTrapsAreGoodForWhoeverLeavesThem) {
  const TuneReport report = tune_strangler(few(), quick_tune());
  EXPECT_LT(report.best.traps, -0.5);
  for (const TunedWeights& w : report.angles) {
    if (w.angle == 90) {
      EXPECT_LT(w.tuning.value(), report.best.tuning.value() - 0.03);
    }
  }
}

TEST(Tune, TheSameSeedGivesTheSameReportOnAnyNumberOfThreads) {
  TuneOptions options = quick_tune();
  options.step = 90;
  const auto figures = [&](int threads) {
    options.threads = threads;
    const TuneReport r = tune_strangler(few(), options);
    std::vector<double> out = {r.best_report.hits, r.given_report.hits};
    for (const TunedWeights& w : r.angles) out.insert(out.end(), {w.angle, w.tuning.hits});
    return out;
  };
  EXPECT_EQ(figures(1), figures(3));
}

TEST(Tune, CountsAPositionOnce) {
  std::vector<Suite> suites = {few().at(0)};
  TuneOptions options = quick_tune();
  options.step = 90;
  const std::size_t once = tune_strangler(suites, options).best.tuning.n;
  suites.push_back(suites[0]);
  EXPECT_EQ(tune_strangler(suites, options).best.tuning.n, once);
}

TEST(Tune, RefusesWhatMakesNoSense) {
  std::vector<Suite> suites = few();
  TuneOptions options = quick_tune();
  options.step = 0;
  EXPECT_THROW(tune_strangler(suites, options), std::invalid_argument);
  suites.resize(1);
  suites[0].entries.resize(1);
  EXPECT_THROW(tune_strangler(suites, quick_tune()), std::invalid_argument);  // one half is empty
}

}  // namespace
}  // namespace quarto
