#include "train/machine.h"

#include <gmock/gmock.h>

namespace quarto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int kH200 = 132;

RunConfig concurrent() {
  RunConfig config;
  config.limits.mode = RunMode::concurrent;
  return config;
}

TEST(ForMachine, SharesTheCoresWhereBothWouldTakeAll) {
  RunConfig config = concurrent();
  const auto shared = [&](bool learns_on_gpu, int cores) {
    const RunConfig run = for_machine(config, {cores, kH200, learns_on_gpu});
    return std::pair(run.selfplay.threads, run.learner.threads);
  };
  EXPECT_EQ(shared(true, 16), std::pair(15, 0));
  EXPECT_EQ(shared(false, 16), std::pair(9, 7));
  EXPECT_EQ(shared(false, 1), std::pair(1, 1));
  config.selfplay.threads = 3;
  EXPECT_EQ(shared(true, 16), std::pair(3, 0)) << "one was chosen";
  config.selfplay.threads = 0;
  config.limits.mode = RunMode::alternating;
  EXPECT_EQ(shared(true, 16), std::pair(0, 0)) << "they take turns";
}

TEST(ForMachine, ChoosesTheGamesInFlightByMultiprocessorsAndThreads) {
  const auto chosen = [](int cores, int multiprocessors, RunConfig config = concurrent()) {
    const RunConfig run = for_machine(config, {cores, multiprocessors, true});
    return std::pair(run.selfplay.batches_in_flight, run.selfplay.games_in_flight);
  };
  EXPECT_EQ(chosen(16, kH200), std::pair(3, 128)) << "as it was measured";
  EXPECT_EQ(chosen(8, 28), std::pair(3, 64));
  EXPECT_EQ(chosen(8, kH200), std::pair(3, 256));
  EXPECT_EQ(chosen(1, kH200), std::pair(3, 1024));
  EXPECT_EQ(chosen(256, 20), std::pair(3, 16));
  RunConfig in_turn;
  in_turn.limits.games = 3200;
  EXPECT_EQ(chosen(16, kH200, in_turn), std::pair(3, 64)) << "3,072 of 3,200";
  RunConfig given = concurrent();
  given.selfplay.games_in_flight = 5;
  given.selfplay.batches_in_flight = 2;
  EXPECT_EQ(chosen(16, kH200, given), std::pair(2, 5));
}

TEST(ForMachine, LeavesTheProcessorItsDefaults) {
  const RunConfig given = concurrent(), run = for_machine(given, {.cores = 16});
  EXPECT_EQ(config::to_yaml(run), config::to_yaml(given));
  EXPECT_EQ(run.selfplay.games_a_group(), 64);
  EXPECT_EQ(run.selfplay.groups_a_thread(), 1);
  EXPECT_EQ(chosen_for(given, run, {.cores = 16}), "");
}

TEST(ForMachine, SaysWhatItHasChosenAndWhy) {
  RunConfig given = concurrent();
  const Machine machine{16, kH200, true};
  EXPECT_THAT(chosen_for(given, for_machine(given, machine), machine),
              AllOf(HasSubstr("15 threads of self-play"),
                    HasSubstr("3 groups of 128 games in each thread, for 132 multiprocessors")));
  given.selfplay.threads = 8;
  given.selfplay.games_in_flight = 64;
  given.selfplay.batches_in_flight = 3;
  EXPECT_EQ(chosen_for(given, for_machine(given, machine), machine), "");
}

}  // namespace
}  // namespace quarto
