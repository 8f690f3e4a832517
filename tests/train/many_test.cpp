// A learner and actors over a store in memory: what comes out is what one process would have made, whatever happens to
// the store and to the actors.
#include <gmock/gmock.h>

#include "base/scratch_directory.h"
#include "tests/support/games_of_run.h"
#include "tests/train/many_support.h"

namespace quarto {
namespace {

using store::MemoryServer;
using testing::HasSubstr;

TEST(Many, InTurnTheRunIsTheSameAsInOneProcess) {
  const ScratchDirectory dir("many");
  ASSERT_TRUE(train(tiny(), options_of(dir / "alone"), {}).finished);
  MemoryServer server;
  RunningActor one(server, "one"), two(server, "two", 2);
  const TrainResult result = train(tiny(), options_of(dir / "many", &server), {});
  EXPECT_TRUE(result.finished);
  one.join();
  two.join();
  EXPECT_EQ(one.error + two.error, "");
  EXPECT_TRUE(one.result.finished && two.result.finished);
  EXPECT_GE(one.result.numbers + two.result.numbers, result.games) << "slow machines may play some twice";
  EXPECT_TRUE(weights_of(dir / "many") == weights_of(dir / "alone"));
}

TEST(Many, WhateverHappensEveryNumberIsThereOnceAndIsTheGameOfItsSeedNumberAndWeights) {
  const ScratchDirectory dir("many");
  MemoryServer server;
  std::atomic<bool> over = false;
  std::thread trouble([&] {
    Rng rng(7);
    std::vector<std::unique_ptr<RunningActor>> actors;
    for (int i = 0; i < 3; ++i) actors.push_back(std::make_unique<RunningActor>(server, "a" + std::to_string(i)));
    // A very slow machine has its peace in the end.
    for (int round = 0; !over && round < 300; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30 + rng.below(60)));
      switch (rng.below(5)) {
        case 0:
          server.lose_answers(static_cast<int>(1 + rng.below(3)));
          break;
        case 1:
          server.set_down(true);
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          server.set_down(false);
          break;
        case 2:
          if (round % 4 == 0) server.empty();
          break;
        case 3: {
          auto& actor = actors[rng.below(actors.size())];
          actor = nullptr;
          actor = std::make_unique<RunningActor>(server, "b" + std::to_string(round));
          break;
        }
        default:
          server.inject("0:1", "what nobody would send");
          break;
      }
    }
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(10));  // the actors play on
  });
  RunConfig config = tiny(RunMode::concurrent);
  config.limits.iterations = 12;
  TrainResult result;
  EXPECT_NO_THROW(result = train(config, options_of(dir / "run", &server), {}));
  over = true;
  trouble.join();
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.games, 12U * 24U);

  const auto state = nlohmann::json::parse(read_file(dir / "run" / "checkpoint" / "state.json"));
  EXPECT_EQ(state["source"]["taken"], nlohmann::json::parse("[[0, 288]]")) << "every number, and no other";

  expect_games_of_run(dir / "run", config, kAids);
}

TEST(Many, ALearnerThatIsStoppedAndResumedInTurnEndsWithTheSameWeights) {
  const ScratchDirectory dir("many");
  ASSERT_TRUE(train(tiny(), options_of(dir / "alone"), {}).finished);
  MemoryServer server;
  RunningActor actor(server, "one");
  for (int session = 0; session < 20; ++session) {
    std::atomic<bool> stop = false;
    // Sooner or later; the last session is left alone.
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100 + 50 * session));
      if (session < 19) stop = true;
    });
    TrainOptions options = options_of(dir / "many", &server);
    options.resume = session > 0;
    options.stop = &stop;
    TrainResult result;
    EXPECT_NO_THROW(result = train(tiny(), options, {}));
    stopper.join();
    if (result.finished || HasFailure()) break;
  }
  EXPECT_TRUE(weights_of(dir / "many") == weights_of(dir / "alone"));
}

TEST(Many, ARunThatGoesOnWithoutTheStoreForAWhileHasEveryNumberOnce) {
  const ScratchDirectory dir("many");
  for (const RunMode mode : {RunMode::alternating, RunMode::concurrent}) {
    const std::string name(name_of(mode));
    MemoryServer server;
    RunConfig config = tiny(mode);
    for (const int iterations : {2, 3, 5}) {
      config.limits.iterations = iterations;
      std::optional<RunningActor> actor;
      if (iterations != 3) actor.emplace(server, "one");
      for (const bool alone : {false, true}) {
        if (alone && mode == RunMode::concurrent) continue;
        TrainOptions options =
            options_of(dir.path() / (name + (alone ? "-alone" : "")), iterations == 3 || alone ? nullptr : &server);
        options.resume = iterations > 2;
        ASSERT_TRUE(train(config, options, {}).finished);
      }
    }
    const auto state = nlohmann::json::parse(read_file(dir.path() / name / "checkpoint" / "state.json"));
    std::uint64_t numbers = 0;
    for (const auto& range : state["source"]["taken"])
      numbers += range[1].get<std::uint64_t>() - range[0].get<std::uint64_t>();
    EXPECT_EQ(numbers, 5U * 24U) << name << ' ' << state["source"]["taken"];
    if (mode == RunMode::alternating) {
      EXPECT_TRUE(weights_of(dir.path() / name) == weights_of(dir.path() / (name + "-alone")));
    }
  }
}

TEST(Many, AStoreThatWasNotToldOfTheEndIsToldByTheNextResume) {
  const ScratchDirectory dir("many");
  RunConfig config = tiny();
  config.limits.iterations = 2;
  MemoryServer server;
  {
    RunningActor actor(server, "one");
    ASSERT_TRUE(train(config, options_of(dir / "run", &server), {}).finished);
  }
  // As if the learner had died, or been cut off, before its last word.
  const auto store = server.connect();
  store->open(*store->card(), 0);
  ASSERT_EQ(store->find()->phase, store::RunPhase::running);
  TrainOptions options = options_of(dir / "run", &server);
  options.resume = true;
  EXPECT_TRUE(train(config, options, {}).nothing_left);
  EXPECT_EQ(store->find()->phase, store::RunPhase::finished);

  // The same where a lower limit ends the run.
  store->open(*store->card(), 0);
  config.limits.iterations = 1;
  options.stop = nullptr;
  EXPECT_TRUE(train(config, options, {}).finished);
  EXPECT_EQ(store->find()->phase, store::RunPhase::finished);

  // Another run there is left alone.
  store->open(run_card("other", "1", config, kAids), 0);
  EXPECT_TRUE(train(config, options, {}).nothing_left);
  EXPECT_EQ(store->find()->phase, store::RunPhase::running);
}

TEST(Many, ActorsOfAnotherBuildRefuse) {
  MemoryServer server;
  const auto store = server.connect();
  store->open(run_card("a", "1", tiny(), kAids), 0);
  RunningActor other(server, "one", 1, "2");
  other.join();
  EXPECT_THAT(other.error, HasSubstr("is of quartozero 1, store format 3, and this program is quartozero 2"));
}

TEST(Many, ActorsThatPlayOrReadDifferentlyRefuse) {
  const auto error_with = [](const std::function<void(store::RunCard&)>& spoil) {
    MemoryServer server;
    store::RunCard card = run_card("a", "1", tiny(), kAids);
    spoil(card);
    server.connect()->open(card, 0);
    RunningActor actor(server, "one");
    actor.join();
    return actor.error;
  };
  EXPECT_THAT(error_with([](store::RunCard& card) { card.probe = "0"; }), HasSubstr("plays differently"));
  EXPECT_THAT(error_with([](store::RunCard& card) { card.config += "unknown_key: 1\n"; }),
              HasSubstr("does not understand"));
  EXPECT_THAT(error_with([](store::RunCard& card) { card.config += "# more\n"; }), HasSubstr("reads the run's"));
  EXPECT_THAT(error_with([](store::RunCard& card) { card.config = "[[[["; }), HasSubstr("does not understand"));
}

}  // namespace
}  // namespace quarto
