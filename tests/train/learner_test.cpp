#include "train/learner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "base/file.h"
#include "data/replay.h"
#include "model/checkpoint.h"
#include "model/runtime.h"
#include "tests/support/random_positions.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

RunConfig small_config(OptimizerKind optimizer = OptimizerKind::adamw, NetworkKind kind = NetworkKind::residual) {
  RunConfig config;
  config.device = "cpu";
  config.network.kind = kind;
  config.network.width = kind == NetworkKind::pairs ? 16 : 8;  // the least that the kernel does
  config.network.blocks = 1;
  config.learner.optimizer = optimizer;
  config.learner.batch = 64;
  config.learner.threads = 1;
  config.limits.iterations = 1;
  return config;
}

// Something to learn: take the win in hand; do not give the loser. What is true of the label is visible in the
// position.
// `skips`: a third of the samples asks nothing of the policy, a third nothing of the outcome.
ReplayBuffer tactical_replay(const TemporaryDirectory& dir, std::size_t n, bool skips = false, int last_ply = 19) {
  Rng rng(1);
  Shard shard;
  while (shard.samples.size() < n) {
    const Position p =
        random_position_at(12 + static_cast<int>(rng.below(static_cast<std::uint64_t>(last_ply - 11))), rng);
    const Mask good = p.has_hand() ? p.winning_squares(p.hand()) : static_cast<Mask>(p.available() & ~p.losing_gives());
    if (good == 0 || good == p.legal_moves()) continue;
    std::array<float, kMoves> policy{};
    for (const int m : BitsOf(good))
      policy[static_cast<std::size_t>(m)] = 1.0F / static_cast<float>(std::popcount(good));
    Sample s = Sample::of(p, policy, 0);
    s.outcome = p.has_hand() ? 1 : 0;
    if (skips) s.skip = static_cast<std::uint8_t>(shard.samples.size() % 3);
    shard.samples.push_back(s);
  }
  ReplayBuffer replay(dir / "replay", n);
  replay.append(1, std::move(shard));
  return replay;
}

TEST(Learner, TheLossFallsOnWhatCanBeLearned) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 2000);
  for (const NetworkKind kind : {NetworkKind::pairs, NetworkKind::residual}) {
    const auto learner = make_learner(small_config(OptimizerKind::adamw, kind));
    Rng rng(2);
    StepLoss first, last;
    for (int i = 0; i < 60; ++i) {
      const StepLoss loss = learner->step(replay, rng, 3e-3);
      if (i < 5) first.total += loss.total / 5;
      if (i >= 55) last.total += loss.total / 5;
    }
    EXPECT_LT(last.total, 0.75 * first.total) << name_of(kind);
    EXPECT_EQ(learner->step_count(), 60U);
  }
}

// The kernel's gradient and LibTorch's lead the same way.
TEST(Learner, TheKernelLearnsWhatLibTorchLearns) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 500, true, 25);
  for (const PolicyLoss loss : {PolicyLoss::shares, PolicyLoss::any}) {
    std::map<bool, StepLoss> last;
    for (const bool kernel : {false, true}) {
      RunConfig config = small_config(OptimizerKind::adamw, NetworkKind::pairs);
      config.learner.logit_penalty = 0.1;  // large, so that a difference shows
      config.learner.policy_loss = loss;
      config.learner.kernel = kernel;
      const auto learner = make_learner(config);
      Rng rng(9);
      for (int i = 0; i < 8; ++i) last[kernel] = learner->step(replay, rng, 1e-3);
    }
    EXPECT_NEAR(last[true].total, last[false].total, 1e-3) << name_of(loss);
    EXPECT_NEAR(last[true].place, last[false].place, 1e-3) << name_of(loss);
    EXPECT_NEAR(last[true].gradient_norm, last[false].gradient_norm, 1e-2 * last[false].gradient_norm) << name_of(loss);
  }
}

TEST(Learner, NothingIsLearnedFromWhatIsSkipped) {
  const TemporaryDirectory dir;
  // Of no symmetry: on the empty board all gives are one, and there is nothing to learn.
  Rng positions(5);
  const Position position = random_position_at(14, positions);
  std::array<float, kMoves> policy_shares{};
  policy_shares[static_cast<std::size_t>(*BitsOf(position.legal_moves()).begin())] = 1;
  Sample sample = Sample::of(position, policy_shares, 0);
  for (const auto& [skip, policy, outcome] : {std::tuple{0, true, true},
                                              {Sample::kSkipPolicy, false, true},
                                              {Sample::kSkipOutcome, true, false},
                                              {Sample::kSkipPolicy | Sample::kSkipOutcome, false, false}}) {
    sample.skip = static_cast<std::uint8_t>(skip);
    Shard shard;
    shard.samples.assign(10, sample);
    ReplayBuffer replay(dir / std::to_string(skip), 10);
    replay.append(1, std::move(shard));
    for (const PolicyLoss loss : {PolicyLoss::shares, PolicyLoss::any}) {
      for (const bool kernel : {false, true}) {
        RunConfig config = small_config(OptimizerKind::adamw, NetworkKind::pairs);
        config.learner.policy_loss = loss;
        config.learner.kernel = kernel;
        const auto learner = make_learner(config);
        Rng rng(3);
        const StepLoss step = learner->step(replay, rng, 1e-3);
        EXPECT_EQ(std::abs(step.give) > 1e-3, policy) << skip << name_of(loss) << kernel;
        EXPECT_EQ(std::abs(step.outcome) > 1e-3, outcome) << skip << name_of(loss) << kernel;
        EXPECT_EQ(step.gradient_norm > 1e-4, policy || outcome) << skip << name_of(loss) << kernel;
      }
    }
  }
}

TEST(Learner, TheKernelsThreadsChangeNothingButRounding) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 200);
  const auto after_steps = [&](int threads, int batch) {
    RunConfig config = small_config(OptimizerKind::adamw, NetworkKind::pairs);
    config.learner.threads = threads;
    config.learner.batch = batch;
    const auto learner = make_learner(config);
    Rng rng(9);
    StepLoss last;
    for (int i = 0; i < 3; ++i) last = learner->step(replay, rng, 1e-3);
    return last;
  };
  EXPECT_NEAR(after_steps(1, 64).total, after_steps(3, 64).total, 1e-4);
  EXPECT_EQ(after_steps(3, 64).total, after_steps(3, 64).total);
  EXPECT_TRUE(std::isfinite(after_steps(4, 2).total)) << "more threads than samples";
}

// Saved and loaded into a fresh learner, training goes on to the same bytes: weights, averages, optimizer and all.
TEST(Learner, ASavedLearnerGoesOnExactly) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 500);
  for (const OptimizerKind optimizer : {OptimizerKind::adamw, OptimizerKind::sgd}) {
    for (const NetworkKind kind : {NetworkKind::pairs, NetworkKind::residual}) {
      const auto saved = dir / fmt::format("saved_{}_{}", name_of(optimizer), name_of(kind)),
                 straight = dir / "straight", resumed = dir / "resumed";
      for (const auto& d : {saved, straight, resumed}) std::filesystem::create_directories(d);
      Rng rng(3);
      const auto learner = make_learner(small_config(optimizer, kind));
      for (int i = 0; i < 5; ++i) learner->step(replay, rng, 1e-2);
      learner->save(saved);
      Rng again = Rng::from_state(rng.state());
      for (int i = 0; i < 5; ++i) learner->step(replay, rng, 1e-2);
      learner->save(straight);

      const auto second = make_learner(small_config(optimizer, kind));
      second->load(saved);
      EXPECT_EQ(second->step_count(), 5U);
      for (int i = 0; i < 5; ++i) second->step(replay, again, 1e-2);
      second->save(resumed);
      for (const char* file : {"model.safetensors", "learner.safetensors"}) {
        EXPECT_EQ(read_file(straight / file), read_file(resumed / file))
            << name_of(optimizer) << " " << name_of(kind) << " " << file;
      }
    }
  }
}

// It has no state of the optimizer, which a momentum begins.
TEST(Learner, WithoutMomentumASavedLearnerMayGoOnWithOne) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 300);
  RunConfig config = small_config(OptimizerKind::sgd);
  config.learner.momentum = 0;
  Rng rng(3);
  const auto learner = make_learner(config);
  learner->step(replay, rng, 1e-2);
  learner->save(dir.path());
  config.learner.momentum = 0.9;
  const auto second = make_learner(config);
  second->load(dir.path());
  EXPECT_EQ(second->step_count(), 1U);
  EXPECT_NO_THROW(second->step(replay, rng, 1e-2));
}

TEST(Learner, SeveralStepsAreStepsAndTheMeanOfTheirFigures) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 300);
  const auto one = make_learner(small_config()), other = make_learner(small_config());
  Rng rng(7), again(7);
  double total = 0, norm = 0;
  for (int i = 0; i < 4; ++i) {
    const StepLoss loss = one->step(replay, rng, 1e-2);
    total += loss.total / 4;
    norm += loss.gradient_norm / 4;
  }
  std::vector<int> seen;
  const StepLoss mean = other->steps(4, replay, again, 1e-2, [&](int i) { seen.push_back(i); });
  EXPECT_DOUBLE_EQ(mean.total, total);
  EXPECT_DOUBLE_EQ(mean.gradient_norm, norm);
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4}));
  for (const char* d : {"one", "other"}) std::filesystem::create_directories(dir / d);
  one->save(dir / "one");
  other->save(dir / "other");
  EXPECT_EQ(read_file(dir / "one" / "learner.safetensors"), read_file(dir / "other" / "learner.safetensors"));
}

TEST(Learner, LearnsMuchTheSameOnAGpu) {
  if (torch_devices().cuda == 0) GTEST_SKIP() << "no CUDA device";
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 1000, false, 25);
  for (const NetworkKind kind : {NetworkKind::pairs, NetworkKind::residual}) {
    RunConfig config = small_config(OptimizerKind::adamw, kind);
    const auto processor = make_learner(config);
    config.device = config.learner.device = "cuda";
    const auto gpu = make_learner(config);
    Rng rng(8), again(8);
    const StepLoss first = processor->step(replay, rng, 3e-3), first_there = gpu->step(replay, again, 3e-3);
    EXPECT_NEAR(first.total, first_there.total, 0.02) << name_of(kind);
    EXPECT_NEAR(first.gradient_norm / first_there.gradient_norm, 1, 0.05) << name_of(kind);
    const StepLoss late = processor->steps(60, replay, rng, 3e-3), late_there = gpu->steps(60, replay, again, 3e-3);
    EXPECT_NEAR(late.total, late_there.total, 0.1) << name_of(kind);
    EXPECT_NO_THROW(gpu->save(dir.path()));
    EXPECT_NO_THROW(gpu->load(dir.path()));
    EXPECT_EQ(gpu->step_count(), 61U);
  }
}

TEST(Learner, AnInfiniteLossOnAGpuIsAnErrorToo) {
  if (torch_devices().cuda == 0) GTEST_SKIP() << "no CUDA device";
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 200);
  RunConfig config = small_config(OptimizerKind::sgd);
  config.device = "cuda";
  config.learner.clip = 0;
  const auto learner = make_learner(config);
  Rng rng(4);
  EXPECT_THROW(learner->steps(50, replay, rng, 1e12), std::runtime_error);
}

TEST(Learner, AnInfiniteLossIsAnErrorAndSpoilsNoWeight) {
  const TemporaryDirectory dir;
  const ReplayBuffer replay = tactical_replay(dir, 200);
  RunConfig config = small_config(OptimizerKind::sgd, NetworkKind::pairs);
  config.learner.clip = 0;
  config.learner.kernel = false;
  const auto learner = make_learner(config);
  Rng rng(4);
  bool failed = false;
  for (int i = 0; i < 50 && !failed; ++i) {
    learner->save(dir.path());
    const std::string before = read_file(dir / "learner.safetensors");
    try {
      learner->step(replay, rng, 1e12);
    } catch (const std::runtime_error&) {
      failed = true;
      learner->save(dir.path());
      EXPECT_EQ(read_file(dir / "learner.safetensors"), before);
    }
  }
  EXPECT_TRUE(failed);
}

TEST(Learner, ACheckpointCutShortIsAnError) {
  const TemporaryDirectory dir;
  const auto learner = make_learner(small_config());
  learner->save(dir.path());
  const std::string bytes = read_file(dir / "learner.safetensors");
  write_file_atomic(dir / "learner.safetensors", bytes.substr(0, bytes.size() / 2));
  EXPECT_THROW(make_learner(small_config())->load(dir.path()), CheckpointError);
}

TEST(ScheduledRate, RisesThenFallsToItsEnd) {
  LearnerConfig c;
  c.learning_rate = 1;
  c.warmup = 0.1;
  c.final_rate = 0.2;
  for (const Schedule schedule : {Schedule::cosine, Schedule::linear}) {
    c.schedule = schedule;
    EXPECT_GT(scheduled_rate(c, 0), 0) << "the first step must teach something";
    EXPECT_NEAR(scheduled_rate(c, 0.05), 0.5, 1e-9);
    EXPECT_NEAR(scheduled_rate(c, 0.1), 1, 1e-9);
    EXPECT_NEAR(scheduled_rate(c, 1), 0.2, 1e-9);
    EXPECT_NEAR(scheduled_rate(c, 0.55), 0.6, 1e-9);
  }
  c.schedule = Schedule::constant;
  EXPECT_EQ(scheduled_rate(c, 1), 1);
}

TEST(LearningDevice, IsTheOneNamedOrTheRuns) {
  RunConfig config;
  config.device = "cpu";
  EXPECT_EQ(make_learner(small_config())->device(), "cpu");
  EXPECT_EQ(learning_device(config), "cpu");
  config.learner.device = "cpu";
  EXPECT_EQ(learning_device(config), "cpu");
  config.learner.device = "cuda:77";
  EXPECT_THROW(learning_device(config), DeviceError);
  config.learner.device = "auto";
  config.device = "nonsense";
  EXPECT_THROW(learning_device(config), DeviceError);
}

TEST(SlowNetworkNote, SaysWhatIsSlowAndNothingElse) {
  RunConfig config;
  config.device = "cpu";
  config.network.kind = NetworkKind::pairs;
  EXPECT_EQ(slow_network_note(config), "");
  config.learner.kernel = false;
  EXPECT_THAT(slow_network_note(config), testing::HasSubstr("learner.kernel=true learns many times faster"));
  config.network.kind = NetworkKind::residual;
  EXPECT_EQ(slow_network_note(config), "");
}

}  // namespace
}  // namespace quarto
