// The learner's side of the store, and results as actors send them, and strangers.
#include "selfplay/collector.h"

#include <gmock/gmock.h>

#include <mutex>

#include "selfplay/game_work.h"
#include "solver/prover.h"
#include "tests/support/eventually.h"
#include "tests/support/memory_store.h"

namespace quarto {
namespace {

using store::MemoryServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const GameSource::GoOn kOn = [](int, const StoreFigures*) { return true; };

// What is said, by any thread.
class Lines {
 public:
  std::function<void(const std::string&)> taker() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    };
  }
  std::vector<std::string> all() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

class Collecting : public testing::Test {
 protected:
  Collector::Options options(bool in_turn = false) {
    Collector::Options o;
    o.connect = [this] { return server.connect(); };
    o.card = {"run", "b", "f", "p", "c"};
    o.rules = game_rules(settings());
    o.in_turn = in_turn;
    o.max_lag = 1;
    o.tick = 0.02;
    o.patience = 1'000'000;
    return o;
  }
  GamesState fresh() { return {{}, "run"}; }
  static SelfPlaySettings settings() {
    SelfPlaySettings s;
    s.aids.prover = &solver_prover();
    s.play.simulations = 4;
    s.play.random_starts = 0.3;
    return s;
  }
  static void publish(Collector& collector, std::uint64_t version, const std::string& file, std::uint64_t games) {
    collector.publish({.version = version, .games = games, .file = [file] { return file; }});
  }
  std::vector<GameRecord> games(std::uint64_t first, int count) {
    UniformEvaluator uniform;
    return play_games(settings(), uniform, first, count);
  }
  static store::WeightsId published(std::uint64_t version = 1, const std::string& file = "weights",
                                    const std::string& config = "c") {
    const std::string message =
        store::encode_weights({.version = version, .fingerprint = store::fingerprint(config), .file = file});
    return {version, store::decode_weights(message).checksum};
  }
  std::string result(const store::Range& range, std::uint64_t version = 1, const std::string& file = "weights") {
    store::GamesMessage message;
    message.version = version;
    message.weights = published(version, file).checksum;
    message.range = range;
    message.actor = "rack";
    message.games = games(range.first, static_cast<int>(range.count));
    return store::encode_games(message);
  }
  // Waits until the learner has put version 1 into the store.
  std::unique_ptr<store::Store> actor(std::uint64_t version = 1) {
    auto store = server.connect();
    EXPECT_TRUE(eventually([&] {
      try {
        const store::Notice notice = store->beat("run", "rack", "{}", {});
        return notice.published && notice.weights.version == version;
      } catch (const store::RunGone&) {
        return false;
      }
    }));
    return store;
  }

  MemoryServer server;
};

TEST_F(Collecting, ADuplicateIsDroppedAndCounted) {
  Collector collector(options(), fresh());
  publish(collector, 1, "weights", 4);
  const auto store = actor();
  const std::string bytes = result({0, 2});
  for (int i = 0; i < 3; ++i) store->deliver("run", "rack", {0, 2}, bytes);
  store->deliver("run", "rack", {2, 2}, result({2, 2}));
  const auto got = collector.take(4, kOn);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->games.size(), 4U);
  EXPECT_TRUE(eventually([&] { return collector.figures().duplicates == 4; }));
  EXPECT_EQ(collector.figures().received, 4U);
}

TEST_F(Collecting, ResultsStayInTheStoreUntilTheyAreCommitted) {
  Collector collector(options(), fresh());
  publish(collector, 1, "weights", 4);
  const auto store = actor();
  store->deliver("run", "rack", {0, 2}, result({0, 2}));
  store->deliver("run", "rack", {2, 2}, result({2, 2}));
  ASSERT_TRUE(collector.take(3, kOn));
  const auto results = [&] { return store->overview()->pulse.results; };
  EXPECT_EQ(results(), 2U);
  collector.commit();
  EXPECT_TRUE(eventually([&] { return results() == 1; })) << "one game of the second result is not taken yet";
  ASSERT_TRUE(collector.take(1, kOn));
  collector.commit();
  EXPECT_TRUE(eventually([&] { return results() == 0; }));
  EXPECT_THAT(collector.state().taken.intervals(), ElementsAre(Pair(0, 4)));
}

TEST_F(Collecting, ResultsThatWaitForACheckpointAreNoReasonToTakeNoOthers) {
  const std::string game = result({0, 1});
  store::GamesMessage message = store::decode_games(game, game_rules(settings()));
  Collector collector(options(), fresh());
  publish(collector, 1, "weights", 1000);
  const auto store = actor();
  constexpr std::uint64_t kFirst = 1000, kAll = 1100;
  for (std::uint64_t n = 0; n < kAll; ++n) {
    if (n == kFirst) {
      ASSERT_TRUE(collector.take(static_cast<int>(kFirst), kOn));
      publish(collector, 1, "weights", kAll - kFirst);
      ASSERT_TRUE(eventually([&] { return store->overview()->pulse.upto == kAll; }));
    }
    message.range = {n, 1};
    message.games[0].number = n;
    ASSERT_EQ(store->deliver("run", "rack", {n, 1}, store::encode_games(message)), store::Delivery::taken) << n;
  }
  EXPECT_TRUE(collector.take(static_cast<int>(kAll - kFirst), kOn));
}

TEST_F(Collecting, AfterALearnersDeathWhatWasNotCommittedIsTakenAgain) {
  GamesState saved = fresh();
  {
    Collector collector(options(), saved);
    publish(collector, 1, "weights", 4);
    const auto store = actor();
    store->deliver("run", "rack", {0, 2}, result({0, 2}));
    ASSERT_TRUE(collector.take(2, kOn));
    saved = collector.state();
    collector.commit();
    ASSERT_TRUE(eventually([&] { return store->overview()->pulse.results == 0; }));
    store->deliver("run", "rack", {2, 2}, result({2, 2}));
    ASSERT_TRUE(collector.take(2, kOn));
  }
  Collector collector(options(), saved);
  publish(collector, 1, "weights", 2);
  const auto got = collector.take(2, kOn);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->games[0].number, 2U);
  EXPECT_EQ(collector.figures().duplicates, 0U);
}

TEST_F(Collecting, WhatIsWrongIsRefusedCountedAndNamed) {
  std::vector<std::string> lines;
  std::mutex mutex;
  Collector::Options o = options();
  o.say = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    lines.push_back(line);
  };
  Collector collector(o, fresh());
  publish(collector, 1, "weights", 4);
  const auto store = actor();
  store->deliver("run", "bad-actor", {0, 2}, "nonsense");
  store->deliver("run", "bad-actor", {0, 2}, result({2, 2}));
  store->deliver("run", "bad-actor", {100, 2}, result({100, 2}));
  server.inject("no range", "");
  EXPECT_TRUE(eventually([&] { return collector.figures().refused == 4; }));
  const StoreFigures figures = collector.figures();
  EXPECT_EQ(figures.received, 0U);
  EXPECT_EQ(figures.refused_by.at("bad-actor"), 1U) << "the name in the message counts, where there is one";
  EXPECT_EQ(figures.refused_by.at("rack"), 2U);
  EXPECT_EQ(figures.refused_by.at("stranger"), 1U);
  EXPECT_TRUE(eventually([&] { return store->overview()->pulse.results == 0; })) << "and it leaves the store";
  const std::lock_guard lock(mutex);
  EXPECT_THAT(lines,
              testing::Contains(HasSubstr("refused a result of actor bad-actor: not games of format version 1")));
}

TEST_F(Collecting, GamesThatWereToBePlayedBeforeAResumeCountAfterIt) {
  GamesState before = fresh();
  before.weights[1] = published().checksum;
  before.upto = 4;
  Collector collector(options(), before);
  publish(collector, 1, "weights", 2);
  const auto store = actor();
  store->deliver("run", "rack", {2, 2}, result({2, 2}));
  EXPECT_TRUE(eventually([&] { return collector.figures().received == 2; }));
  store->deliver("run", "rack", {4, 2}, result({4, 2}));
  EXPECT_TRUE(eventually([&] { return collector.figures().refused == 1; }));
  EXPECT_EQ(collector.state().upto, 4U);
}

// In turn every game of an iteration is played with the weights before it: what was leased when more was allowed is for
// a later one.
TEST_F(Collecting, GamesBeyondTheLimitAreNotTakenInTurn) {
  GamesState before = fresh();
  before.weights[1] = published().checksum;
  before.upto = 4;
  Collector collector(options(true), before);
  publish(collector, 1, "weights", 4);
  const auto store = actor();
  EXPECT_THAT(store->lease("run", published(), 4, 2).ranges, ElementsAre(store::Range{0, 2}, store::Range{2, 2}));
  publish(collector, 1, "weights", 2);
  ASSERT_TRUE(eventually([&] { return store->overview()->pulse.upto == 2; }));
  store->deliver("run", "rack", {2, 2}, result({2, 2}));
  EXPECT_TRUE(eventually([&] { return collector.figures().old == 2; }));
  EXPECT_EQ(collector.figures().received, 0U);
  store->leave("run", "rack", {{0, 2}});
  EXPECT_THAT(store->lease("run", published(), 8, 8).ranges, ElementsAre(store::Range{0, 2}));
  publish(collector, 2, "newer", 4);
  actor(2);
  std::vector<store::Range> later;
  EXPECT_TRUE(eventually([&] { return !(later = store->lease("run", published(2, "newer"), 8, 8).ranges).empty(); }));
  EXPECT_THAT(later, ElementsAre(store::Range{2, 2}));
}

TEST_F(Collecting, AServerThatCameBackWithOlderDataIsNoOtherLearner) {
  Collector collector(options(), fresh());
  publish(collector, 1, "weights", 4);
  auto store = actor();
  server.forget_takeover();
  store->deliver("run", "rack", {0, 4}, result({0, 4}));
  EXPECT_TRUE(collector.take(4, kOn));
}

TEST_F(Collecting, WeightsThatNobodyCanReadAreSentAgain) {
  Collector::Options soon = options();
  soon.patience = 20;
  Collector collector(soon, fresh());
  publish(collector, 1, "weights", 4);
  const auto store = actor();
  server.damage_weights();
  EXPECT_TRUE(eventually([&] {
    store->beat("run", "rack", "{}", {});
    return store->weights("run") != "damaged";
  }));
  EXPECT_EQ(store::decode_weights(*store->weights("run")).file, "weights");
}

TEST_F(Collecting, GamesOfOldWeightsAreDroppedAndPlayedAgain) {
  Collector collector(options(), fresh());
  publish(collector, 1, "weights", 2);
  actor();
  publish(collector, 2, "newer", 2);
  publish(collector, 3, "newest", 2);
  const auto store = actor(3);
  const store::WeightsId newest = published(3, "newest");
  EXPECT_EQ(store->lease("run", newest, 2, 2).ranges.size(), 1U);
  store->deliver("run", "rack", {0, 2}, result({0, 2}, 1, "weights"));
  EXPECT_TRUE(eventually([&] { return collector.figures().old == 2; }));
  std::vector<store::Range> again;
  EXPECT_TRUE(eventually([&] { return !(again = store->lease("run", newest, 2, 2).ranges).empty(); }));
  EXPECT_THAT(again, ElementsAre(store::Range{0, 2}));
  store->deliver("run", "rack", {0, 2}, result({0, 2}, 2, "newer"));
  EXPECT_TRUE(collector.take(2, kOn)) << "a lag of one version is allowed";
}

TEST_F(Collecting, GamesOfTheSettingsBeforeAResumeAreDroppedAndPlayedAgain) {
  GamesState before = fresh();
  before.weights[1] = published().checksum;
  Collector::Options changed = options();
  changed.card.config = "other settings";
  Collector collector(changed, before);
  publish(collector, 1, "weights", 2);
  const auto store = actor();
  const store::WeightsId now = published(1, "weights", changed.card.config);
  EXPECT_EQ(store->lease("run", now, 2, 2).ranges.size(), 1U);
  store->deliver("run", "rack", {0, 2}, result({0, 2}));
  EXPECT_TRUE(eventually([&] { return collector.figures().old == 2; }));
  EXPECT_TRUE(eventually([&] { return !store->lease("run", now, 2, 2).ranges.empty(); }));
}

TEST_F(Collecting, AStoreThatLostEverythingGetsTheRunAgain) {
  Collector collector(options(), fresh());
  publish(collector, 1, "weights", 6);
  auto store = actor();
  store->lease("run", published(), 4, 2);
  store->deliver("run", "rack", {2, 2}, result({2, 2}));
  ASSERT_TRUE(eventually([&] { return collector.figures().received == 2; }));
  server.empty();
  store = actor();
  std::vector<store::Range> all;
  EXPECT_TRUE(eventually([&] {
    for (const store::Range& range : store->lease("run", published(), 1, 2).ranges) all.push_back(range);
    return all.size() == 2;
  }));
  EXPECT_THAT(all, testing::UnorderedElementsAre(store::Range{0, 2}, store::Range{4, 1}))
      << "what it has is not leased";
  EXPECT_EQ(store::decode_weights(*store->weights("run")).file, "weights");
}

TEST_F(Collecting, AStoreThatLosesTheRunAgainAndAgainIsNamedOnceWithItsReason) {
  Lines said;
  Collector::Options of = options();
  of.say = said.taker();
  server.set_evicting(true);
  Collector collector(of, fresh());
  publish(collector, 1, "weights", 6);
  ASSERT_TRUE(eventually([&] { return server.troubles() >= 4; }));
  EXPECT_THAT(said.all(), ElementsAre("the store has lost the run (it throws keys out): putting it there again"));
  server.set_evicting(false);
  EXPECT_FALSE(actor()->lease("run", published(), 1, 2).ranges.empty());
}

TEST_F(Collecting, AStoreAnswersAgainWhenItDoesAllThatIsAskedOfIt) {
  Lines said;
  Collector::Options of = options();
  of.say = said.taker();
  Collector collector(of, fresh());
  publish(collector, 1, "weights", 6);
  actor();
  server.set_refusing_ticks(true);
  ASSERT_TRUE(eventually([&] { return server.troubles() >= 4; }));
  EXPECT_THAT(said.all(), ElementsAre("it refuses; trying again until it does"));
  server.set_refusing_ticks(false);
  EXPECT_TRUE(eventually([&] { return said.all().size() == 2; }));
  EXPECT_THAT(said.all().back(), HasSubstr("answers again"));
}

TEST_F(Collecting, NumbersThatNobodyHasAnyMoreAreLeasedAgain) {
  Collector collector(options(), fresh());
  publish(collector, 1, "weights", 4);
  auto store = actor();
  store->lease("run", published(), 4, 4);
  // The lease is gone, and the range of its games unknown.
  server.forget_leases();
  EXPECT_TRUE(eventually([&] { return !store->lease("run", published(), 4, 4).ranges.empty(); }));
}

TEST_F(Collecting, AnotherLearnerOfTheSameRunEndsTheFirst) {
  Collector first(options(), fresh());
  publish(first, 1, "weights", 4);
  actor();
  Collector second(options(), fresh());
  publish(second, 1, "weights", 4);
  EXPECT_THROW(first.take(1, kOn), store::Superseded);
}

TEST(GamesState, IsReadBackAndCheckedWhenItIsRead) {
  GamesState state{{}, "abc", {{3, 17}, {4, 4'000'000'000}}, 30};
  state.taken.add(0, 10);
  state.taken.add(20, 22);
  const GamesState again = games_state(nlohmann::json::parse(to_json(state).dump()));
  EXPECT_EQ(again.run, state.run);
  EXPECT_EQ(again.taken, state.taken);
  EXPECT_EQ(again.weights, state.weights);
  EXPECT_EQ(again.upto, state.upto);
  for (const char* text :
       {R"({})", R"({"run": 1, "taken": [], "weights": []})", R"({"run": "a", "taken": [[5, 3]], "weights": []})",
        R"({"run": "a", "taken": [[0, 3], [2, 5]], "weights": []})",
        R"({"run": "a", "taken": [[0, 99999999999999999]], "weights": []})"})
    EXPECT_ANY_THROW(games_state(nlohmann::json::parse(text))) << text;
}

}  // namespace
}  // namespace quarto
