#include "eval/tune.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "eval/suites.h"

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

TuneOptions quick() {
  TuneOptions options;
  options.strangler.depth = 1;
  options.step = 45;
  options.fine = 10;
  return options;
}

TEST(Tune, ReportsTheBestOfWhatItTriedOnPositionsItDidNotTuneOn) {
  const std::vector<Suite> suites = few();
  std::size_t done = 0, total = 0;
  TuneOptions options = quick();
  options.on_progress = [&](std::size_t d, std::size_t t) {
    EXPECT_GE(d, done);
    done = d;
    total = t;
  };
  const TuneReport report = tune_strangler(suites, options);
  EXPECT_EQ(done, total);
  EXPECT_EQ(report.angles.size(), 8U + 2 * 3);  // steps of 22.5, 11.25 and 5.6 degrees
  for (const TunedWeights& w : report.angles) {
    EXPECT_NEAR(std::hypot(w.safe, w.traps), 1, 1e-12);
    EXPECT_GT(w.angle, -180);
    EXPECT_LE(w.angle, 180);
    EXPECT_LE(w.score.kept, report.best.score.kept);
    EXPECT_LE(w.score.interval.low, w.score.agreement);
    EXPECT_GE(w.score.interval.high, w.score.agreement);
  }
  EXPECT_DOUBLE_EQ(report.given.safe, 2.21);
  EXPECT_NEAR(report.given.angle, 9.5, 0.01);
  ASSERT_EQ(report.best_scores.size(), 3U);
  EXPECT_EQ(report.best_scores[2].suite, "all");
  EXPECT_EQ(report.best_scores[0].positions + report.best_scores[1].positions, report.best_scores[2].positions);
  // Halves of about the same size, and what only one of the two gets right explains the difference.
  const auto tuned = static_cast<double>(report.best.score.positions);
  EXPECT_NEAR(tuned / (tuned + static_cast<double>(report.best_scores[2].positions)), 0.5, 0.08);
  EXPECT_EQ(report.best_scores[2].kept + report.only_given, report.given_scores[2].kept + report.only_best);
  EXPECT_EQ(to_json(report).at("angles").size(), report.angles.size());
  EXPECT_EQ(to_json(report).at("best").at("report").size(), 3U);
}

TEST(Tune, FindsThatTrapsAreGoodForWhoeverLeavesThem) {
  const std::vector<Suite> suites = few();
  const TuneReport report = tune_strangler(suites, quick());
  EXPECT_LT(report.best.traps, -0.5);
  for (const TunedWeights& w : report.angles) {
    if (w.angle == 90) {
      EXPECT_LT(w.score.agreement, report.best.score.agreement - 0.03);
    }
  }
}

TEST(Tune, TheSameSeedGivesTheSameReportOnAnyNumberOfThreads) {
  const std::vector<Suite> suites = few();
  TuneOptions options = quick();
  options.step = 90;
  const auto first = to_json(tune_strangler(suites, options));
  options.threads = 3;
  EXPECT_EQ(to_json(tune_strangler(suites, options)), first);
}

TEST(Tune, CountsAPositionOnce) {
  std::vector<Suite> suites = {few().at(0)};
  TuneOptions options = quick();
  options.step = 90;
  options.fine = 90;
  const std::size_t once = tune_strangler(suites, options).best.score.positions;
  suites.push_back(suites[0]);
  suites[1].name = "again";
  const TuneReport twice = tune_strangler(suites, options);
  EXPECT_EQ(twice.best.score.positions, once);
  EXPECT_EQ(twice.best_scores[1].positions, 0U);
}

TEST(Tune, RefusesWhatMakesNoSense) {
  std::vector<Suite> suites = few();
  TuneOptions options = quick();
  options.step = 0;
  EXPECT_THROW(tune_strangler(suites, options), std::invalid_argument);
  suites.resize(1);
  suites[0].entries.resize(1);
  EXPECT_THROW(tune_strangler(suites, quick()), std::invalid_argument);  // one half is empty
}

}  // namespace
}  // namespace quarto
