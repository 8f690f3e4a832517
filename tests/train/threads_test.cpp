// What self-play does when the system refuses to start a thread.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "base/parallel.h"
#include "data/replay.h"
#include "env/notation.h"
#include "model/runtime.h"
#include "selfplay/crew.h"
#include "solver/prover.h"
#include "solver/solver.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"
#include "train/learner.h"

namespace {
std::atomic<int> threads_left = -1;  // that may still be started; below 0: any number
}

// In place of the system's, also for the standard library.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* argument) {
  static auto* const next = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (threads_left == 0) return EAGAIN;
  if (threads_left > 0) --threads_left;
  return next(thread, attributes, run, argument);
}

namespace quarto {
namespace {

class Threads : public testing::Test {
 protected:
  void SetUp() override { configure_torch(1); }  // starts LibTorch's own threads
  void TearDown() override { threads_left = -1; }

  static SelfPlaySettings settings() {
    SelfPlaySettings s;
    s.aids.prover = &solver_prover();
    s.play.simulations = 4;
    return s;
  }
  template <class Play>
  static std::string error_with(int threads, const Play& play) {
    threads_left = threads;
    return message_of<ThreadError>(play);
  }
};

TEST_F(Threads, OneThatCannotBeStartedIsAnErrorAndEndsTheOthers) {
  UniformEvaluator uniform;
  const auto play = [&] { play_games(settings(), uniform, 0, 1'000'000, 4); };
  EXPECT_THAT(error_with(2, play), testing::HasSubstr("2 of 4 threads could be started"));
  EXPECT_THAT(error_with(0, play), testing::HasSubstr("set selfplay.threads lower"));
}

// Work that any number of threads can do is done by those that there are.
TEST_F(Threads, WorkInChunksAndSolvingNeedNoMoreThanThisOne) {
  for (const int left : {0, 1, 2}) {
    threads_left = left;
    std::vector<std::atomic<int>> seen(100);
    parallel_chunks(
        seen.size(), 3, 8,
        [&](std::size_t begin, std::size_t end, std::size_t) {
          for (std::size_t i = begin; i < end; ++i) ++seen[i];
        },
        [](std::size_t) {});
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; })) << left;
    threads_left = left;
    Solver solver({.table_bytes = std::size_t{1} << 20, .threads = 8});
    EXPECT_EQ(solver.solve(parse_position("..../2F.A/E9../.8B3 -")).value, Value::draw) << left;
  }
}

// It says nothing about the weights, so the learner must not take it for divergence.
TEST_F(Threads, OneThatTheLearnerCannotStartIsAnErrorOfItsOwn) {
  RunConfig config;
  config.device = "cpu";
  config.learner.threads = 3;
  config.learner.batch = 64;
  UniformEvaluator uniform;
  const auto games = play_games(settings(), uniform, 0, 8);
  const TemporaryDirectory dir;
  ReplayBuffer samples(dir.path(), 10'000);
  Shard shard;
  for (const GameRecord& game : games)
    shard.samples.insert(shard.samples.end(), game.samples.begin(), game.samples.end());
  samples.append(1, std::move(shard));
  const auto learner = make_learner(config);
  Rng rng(1);
  const auto step = [&] { learner->step(samples, rng, 0.001); };
  step();
  EXPECT_THAT(error_with(1, step), testing::HasSubstr("2 of 3 threads could be started"));
  threads_left = -1;
  EXPECT_NO_THROW(step());
}

}  // namespace
}  // namespace quarto
