#include "train/throughput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarto {
namespace {

SelfPlayCounts counts(double network, double asking, double paused) {
  SelfPlayCounts c;
  c.working = 10;
  c.network = network;
  c.asking = asking;
  c.paused = paused;
  c.evaluations = 600;
  c.known = 300;
  c.shared = 100;
  c.batches = 10;
  c.places = 800;
  return c;
}

TEST(Throughput, SharesOfTimeSumToOne) {
  const TimeShares s = time_shares(counts(5, 2, 1));
  EXPECT_DOUBLE_EQ(s.network, 0.5);
  EXPECT_DOUBLE_EQ(s.asking, 0.2);
  EXPECT_DOUBLE_EQ(s.paused, 0.1);
  EXPECT_NEAR(s.tree, 0.2, 1e-12);
  EXPECT_EQ(time_shares({}).network, 0);
}

TEST(Throughput, CacheAndBatchFill) {
  EXPECT_DOUBLE_EQ(cache_share(counts(5, 2, 1)), 0.4);
  EXPECT_DOUBLE_EQ(batch_fill(counts(5, 2, 1)), 0.75);
  EXPECT_EQ(cache_share({}), 0);
}

TEST(Throughput, TheSentenceNamesWhatTakesMost) {
  using testing::HasSubstr;
  EXPECT_THAT(bottleneck(counts(8, 1, 0), false), HasSubstr("the network's arithmetic limits self-play: 80%"));
  EXPECT_THAT(bottleneck(counts(8, 1, 0), true), HasSubstr("wait for the GPU, 80%"));
  EXPECT_THAT(bottleneck(counts(1, 1, 0), false), HasSubstr("the search tree limits self-play: 80%"));
  EXPECT_THAT(bottleneck(counts(1, 7, 0), false),
              HasSubstr("proofs, canonical forms and the cache limit self-play: 70%"));
  EXPECT_THAT(bottleneck(counts(1, 1, 7), false),
              HasSubstr("the learner limits the run: self-play's threads wait 70% of their time; lower learner.reuse"));
  EXPECT_THAT(bottleneck(counts(8, 1, 0), false, 10, 30), HasSubstr("the learner limits the run: 75%"));
  EXPECT_THAT(bottleneck(counts(8, 1, 0), false, 30, 10), HasSubstr("the network's"));
}

TEST(SelfPlayCounts, DifferencesUndoSums) {
  SelfPlayCounts a = counts(5, 2, 1), b = counts(3, 1, 0);
  a.games = 7;
  SelfPlayCounts sum = a;
  sum += b;
  const SelfPlayCounts back = sum - b;
  EXPECT_EQ(back.games, a.games);
  EXPECT_EQ(back.evaluations, a.evaluations);
  EXPECT_EQ(back.shared, a.shared);
  EXPECT_DOUBLE_EQ(back.network, a.network);
  EXPECT_DOUBLE_EQ(back.paused, a.paused);
}

}  // namespace
}  // namespace quarto
