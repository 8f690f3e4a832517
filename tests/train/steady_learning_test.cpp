#include "train/steady_learning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/file.h"
#include "data/replay.h"
#include "env/random_play.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::HasSubstr;

RunConfig pairs_config() {
  RunConfig config;
  config.device = "cpu";
  config.network.kind = NetworkKind::pairs;
  config.network.width = 16;
  config.network.blocks = 1;
  config.learner.batch = 32;
  config.learner.threads = 1;
  config.limits.iterations = 1;
  return config;
}

// Positions with ten pieces or more, and the first legal move as the right one, which says nothing about the others.
ReplayBuffer replay_in(const TemporaryDirectory& dir) {
  Rng rng(1);
  Shard shard;
  while (shard.samples.size() < 200) {
    const Position p = random_position_at(20 + static_cast<int>(rng.below(8)), rng);
    std::array<float, kMoves> policy{};
    policy[static_cast<std::size_t>(*BitsOf(p.legal_moves()).begin())] = 1;
    shard.samples.push_back(Sample::of(p, policy, 0));
  }
  ReplayBuffer replay(dir / "replay", 1000);
  replay.append(1, std::move(shard));
  return replay;
}

std::string state_of(const Learner& learner, const TemporaryDirectory& dir) {
  learner.save(dir.path());
  return read_file(dir / "learner.safetensors") + read_file(dir / "model.safetensors");
}

TEST(HasDiverged, IfTheLossIsTwiceAsHighAndANatMoreOrNoNumber) {
  EXPECT_FALSE(has_diverged(1.6, 1.5));
  EXPECT_FALSE(has_diverged(3.9, 1.5));
  EXPECT_TRUE(has_diverged(4.1, 1.5));
  EXPECT_FALSE(has_diverged(1.0, 0.001));
  EXPECT_FALSE(has_diverged(100, 0)) << "nothing is known of what is usual";
  EXPECT_TRUE(has_diverged(std::numeric_limits<double>::quiet_NaN(), 0));
  EXPECT_TRUE(has_diverged(std::numeric_limits<double>::infinity(), 1.5));
}

TEST(SteadyLearning, IsLearningWhereNothingDiverges) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = replay_in(dir);
  const RunConfig config = pairs_config();
  const auto plain = make_learner(config), steady = make_learner(config);
  Rng one(3), other(3);
  const StepLoss expected = plain->steps(5, replay, one, 1e-3);
  double usual = 0;
  const SteadyResult result =
      learn_steadily(*steady, 5, replay, other, 1e-3, usual, {}, [](const std::string& what) { FAIL() << what; });
  EXPECT_EQ(result.loss.total, expected.total);
  EXPECT_EQ(result.rate, 1e-3);
  EXPECT_EQ(usual, expected.total);
  EXPECT_EQ(state_of(*steady, dir), state_of(*plain, dir));
}

TEST(SteadyLearning, WhatKeepsDivergingIsForgottenAndAnError) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = replay_in(dir);
  for (const bool finite : {true, false}) {
    RunConfig config = pairs_config();
    if (!finite) {
      config.learner.optimizer = OptimizerKind::sgd;
      config.learner.clip = 0;
    }
    const auto learner = make_learner(config);
    Rng rng(3);
    learner->steps(3, replay, rng, 1e-3);
    const std::string before = state_of(*learner, dir);
    double usual = finite ? 0.01 : 2;  // so low that this loss is far above it
    int told = 0;
    EXPECT_THAT(message_of<DivergedError>([&] {
                  learn_steadily(*learner, 20, replay, rng, finite ? 1e-3 : 1e12, usual, {},
                                 [&](const std::string&) { ++told; });
                }),
                HasSubstr("4 times, at last with a learning rate of"))
        << finite;
    EXPECT_EQ(told, 3) << finite;
    EXPECT_EQ(state_of(*learner, dir), before) << finite;
  }
}

TEST(SteadyLearning, GoesBackAndOnWithALowerRate) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = replay_in(dir);
  RunConfig config = pairs_config();
  config.learner.optimizer = OptimizerKind::sgd;
  config.learner.clip = 0;
  config.learner.momentum = 0;
  // Some rate is the first that is too high, and its half is not.
  for (double rate = 0.01; rate < 1e6; rate *= 2) {
    const auto learner = make_learner(config);
    Rng rng(3);
    double usual = learner->steps(1, replay, rng, 1e-3).total;
    const double first = usual;
    std::string told;
    const SteadyResult result =
        learn_steadily(*learner, 20, replay, rng, rate, usual, {}, [&](const std::string& what) { told += what; });
    EXPECT_FALSE(has_diverged(result.loss.total, first));
    if (told.empty()) continue;
    EXPECT_THAT(told, HasSubstr("learned again with half the learning rate"));
    EXPECT_LE(result.rate, rate / 2);
    EXPECT_EQ(learner->step_count(), 21U);
    return;
  }
  FAIL() << "no rate was too high";
}

TEST(LogitPenalty, BoundsWhatTheNetworkIsSureOf) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = replay_in(dir);
  double lowest[2] = {};
  for (const int penalized : {0, 1}) {
    RunConfig config = pairs_config();
    config.learner.logit_penalty = penalized ? 0.01 : 0;
    config.learner.average = 0;
    const auto learner = make_learner(config);
    Rng rng(3);
    learner->steps(400, replay, rng, 5e-3);
    const auto evaluator = learner->make_evaluator();
    Rng positions(9);
    double log_prior = 0;
    for (int i = 0; i < 100; ++i) {
      const Position p = random_position_at(20 + static_cast<int>(positions.below(8)), positions);
      Evaluation e;
      evaluate(*evaluator, {&p, 1}, {&e, 1});
      for (const int m : BitsOf(p.legal_moves())) {
        const double prior = e.prior[static_cast<std::size_t>(m)];
        log_prior = std::min(log_prior, std::log(std::max(1e-30, prior)));
      }
    }
    lowest[penalized] = log_prior;
  }
  EXPECT_GT(lowest[1], lowest[0] + 1);
}

}  // namespace
}  // namespace quarto
