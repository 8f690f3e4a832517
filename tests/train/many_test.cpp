// A learner and actors over a store in memory: what comes out is what one process would have made, whatever happens to
// the store and to the actors.
#include <gmock/gmock.h>

#include <mutex>
#include <thread>

#include "base/file.h"
#include "base/scratch_directory.h"
#include "solver/prover.h"
#include "store/memory_store.h"
#include "tests/support/games_of_run.h"
#include "train/actor.h"
#include "train/collector.h"
#include "train/learner.h"
#include "train/trainer.h"

namespace quarto {
namespace {

using store::MemoryServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const std::atomic<bool> kNever = false;

RunConfig tiny(RunMode mode = RunMode::alternating) {
  RunConfig config;
  config.device = "cpu";
  config.network.width = 16;
  config.network.blocks = 1;
  config.selfplay.simulations = 4;
  config.selfplay.threads = 1;
  config.selfplay.games_in_flight = 8;
  config.selfplay.random_starts = 0.3;
  config.selfplay.surprise = 0.5;
  config.learner.threads = 1;
  config.learner.batch = 64;
  config.learner.reuse = 0.5;
  config.limits.games = 24;
  config.limits.iterations = 4;
  config.limits.mode = mode;
  config.limits.archive_every = 1;
  config.evaluation.every = 0;
  config.check();
  return config;
}

const SearchAids kAids{.make_prover = make_prover};

// An actor in a thread of its own, until it is told to stop, the run has finished, or it fails.
class RunningActor {
 public:
  RunningActor(MemoryServer& server, std::string name, int threads = 1, std::string version = "1", bool keep = false) {
    options_.connect = [&server] { return server.connect(); };
    options_.version = std::move(version);
    options_.name = std::move(name);
    options_.device = "cpu";
    options_.threads = threads;
    options_.stop = &stop_;
    options_.aids = [](const RunConfig&) { return kAids; };
    options_.beat = 0.1;
    options_.keep = keep;
    options_.say = [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      said_ += line + "\n";
    };
    thread_ = std::thread([this] {
      try {
        result = act(options_);
      } catch (const std::exception& e) {
        error = e.what();
      }
    });
  }
  ~RunningActor() {
    stop_ = true;
    join();
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  void stop() { stop_ = true; }
  bool said(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    return said_.find(text) != std::string::npos;
  }
  ActorResult result;
  std::string error;

 private:
  ActorOptions options_;
  mutable std::mutex mutex_;  // guards said_
  std::string said_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TrainOptions options_of(const std::filesystem::path& out, MemoryServer* server = nullptr) {
  TrainOptions options{.out = out, .quiet = true, .aids = kAids};
  if (server)
    options.store = StoreOptions{.connect = [server] { return server->connect(); }, .version = "1", .tick = 0.1};
  return options;
}

std::string weights_of(const std::filesystem::path& run) {
  return read_file(run / "checkpoint" / "learner.safetensors");
}

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
  EXPECT_GE(one.result.games + two.result.games, result.games) << "slow machines may play some twice";
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
    for (int round = 0; !over; ++round) {
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
  EXPECT_EQ(state["store"]["taken"], nlohmann::json::parse("[[0, 288]]")) << "every number, and no other";

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
    for (const auto& range : state["store"]["taken"])
      numbers += range[1].get<std::uint64_t>() - range[0].get<std::uint64_t>();
    EXPECT_EQ(numbers, 5U * 24U) << name << ' ' << state["store"]["taken"];
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
  EXPECT_THAT(other.error, HasSubstr("is of quartozero 1, store format 2, and this program is quartozero 2"));
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

// ------------------------------------------------------------------------------------------------------------------

bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 6000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// A learner's side of the store, one step at a time: it learns nothing, and its weights are untrained.
class HandLearner {
 public:
  explicit HandLearner(MemoryServer& server) : store(server.connect()) {}

  void open(const RunConfig& config, std::uint64_t next = 0, const std::string& id = "run") {
    card_ = run_card(id, "1", config, kAids);
    epoch = store->open(card_, next).epoch;
  }
  // Weights of version 1 for the card's settings, drawn with this seed.
  void publish(std::uint64_t upto, std::uint64_t results = 1000, std::uint64_t seed = 1) {
    RunConfig config = tiny();
    config.seed = seed;
    const ScratchDirectory scratch("weights");
    Learner(config).save_playing_weights(scratch.path());
    const std::string message = store::encode_weights(
        {.version = 1, .fingerprint = store::fingerprint(card_.config), .file = read_file(scratch / kWeightsFile)});
    weights = {1, store::decode_weights(message).checksum};
    store->publish(epoch, {weights, upto, results}, message);
  }
  // Waits for the result with this game, and returns it.
  store::GamesMessage result_with(std::uint64_t number) {
    store::GamesMessage found;
    EXPECT_TRUE(eventually([&] {
      for (const store::Entry& entry : store->read(epoch, "", 1000)) {
        const auto leased = store::parse_range(entry.member);
        if (!leased || number < leased->first || number >= leased->end()) continue;
        found = store::decode_games(entry.bytes, game_rules(tiny()));
        EXPECT_EQ(found.range, *leased);
        return true;
      }
      return false;
    })) << "game "
        << number;
    return found;
  }

  bool has_results(std::size_t n) {
    return eventually([&] { return store->read(epoch, "", 1000).size() == n; });
  }

  const std::unique_ptr<store::Store> store;
  std::uint64_t epoch = 0;
  store::WeightsId weights;

 private:
  store::RunCard card_;
};

TEST(Actor, TakesWeightsAndSettingsThatAreOthersOfTheSameVersion) {
  MemoryServer server;
  HandLearner learner(server);
  learner.open(tiny());
  learner.publish(8);
  RunningActor actor(server, "one");
  EXPECT_EQ(learner.result_with(7).weights, learner.weights.checksum);
  // As a learner does that died after it had published, and learned with other games.
  const store::WeightsId first = learner.weights;
  learner.open(tiny());
  learner.publish(16, 1000, 2);
  EXPECT_NE(learner.weights, first);
  EXPECT_EQ(learner.result_with(15).weights, learner.weights.checksum);
  // As one does that was resumed with other settings.
  RunConfig other = tiny();
  other.selfplay.simulations = 6;
  const store::WeightsId second = learner.weights;
  learner.open(other);
  learner.publish(24, 1000, 2);
  EXPECT_NE(learner.weights, second);
  EXPECT_EQ(learner.result_with(23).weights, learner.weights.checksum);
  actor.stop();
  actor.join();
  EXPECT_EQ(actor.error, "");
}

// The store loses the run while the actor waits with a result that is ready to be sent.
TEST(Actor, ThatWaitedForAFullStoreBeginsAnewInTheNextRun) {
  MemoryServer server;
  HandLearner learner(server);
  learner.open(tiny());
  learner.publish(8, 0);
  RunningActor actor(server, "one");
  EXPECT_TRUE(eventually([&] { return server.full() > 0; }));
  server.empty();
  EXPECT_TRUE(eventually([&] { return actor.said("does not hold the run any more"); }));
  learner.open(tiny(), 100);
  learner.publish(140);
  learner.result_with(100);
  learner.result_with(139);
}

TEST(Actor, RenewsTheLeasesOfResultsThatAFullStoreDoesNotTake) {
  MemoryServer server;
  HandLearner learner(server);
  learner.open(tiny());
  learner.publish(1, 0);
  RunningActor actor(server, "one");
  ASSERT_TRUE(eventually([&] { return server.full() > 0; }));
  for (int i = 0; i < 6; ++i) {
    // One tick for each sign of life.
    ASSERT_TRUE(eventually([&] {
      const auto all = learner.store->overview();
      return !all->actors.empty() && all->actors[0].ticks_since == 0;
    }));
    EXPECT_EQ(learner.store->tick(learner.epoch, 3, "").expired, 0U);
  }
}

TEST(Actor, WaitsWhereTheRunHadFinishedBeforeItCame) {
  MemoryServer server;
  HandLearner learner(server);
  store::RunCard old = run_card("old", "another build", tiny(), kAids);
  learner.store->close(learner.store->open(old, 0).epoch, store::RunPhase::finished);
  RunningActor actor(server, "one");
  EXPECT_TRUE(eventually([&] { return actor.said("the run has finished in memory: waiting for a learner"); }));
  learner.open(tiny());
  learner.publish(8);
  learner.result_with(7);
  learner.store->close(learner.epoch, store::RunPhase::finished);
  actor.join();
  EXPECT_EQ(actor.error, "");
  EXPECT_TRUE(actor.result.finished);
}

TEST(Actor, ThatKeepsOnPlaysForARunThatIsResumedAfterItsEnd) {
  MemoryServer server;
  HandLearner learner(server);
  learner.open(tiny());
  learner.publish(8);
  RunningActor actor(server, "one", 1, "1", true);
  EXPECT_TRUE(learner.has_results(8));
  learner.store->close(learner.epoch, store::RunPhase::finished);
  EXPECT_TRUE(eventually([&] { return actor.said("waiting for a learner"); }));
  learner.open(tiny(), 8);
  learner.publish(16);
  EXPECT_TRUE(learner.has_results(8));
  actor.stop();
  actor.join();
  EXPECT_EQ(actor.error, "");
  EXPECT_EQ(actor.result.games, 16U);
}

class Collecting : public testing::Test {
 protected:
  Collector::Options options(bool by_number = false) {
    Collector::Options o;
    o.connect = [this] { return server.connect(); };
    o.card = {"run", "b", "f", "p", "c"};
    o.rules = game_rules(config);
    o.by_number = by_number;
    o.max_lag = 1;
    o.tick = 0.02;
    o.patience = 1'000'000;
    return o;
  }
  CollectorState fresh() { return {"run", {}, {}}; }
  std::vector<GameRecord> games(std::uint64_t first, int count) {
    UniformEvaluator uniform;
    return play_games(self_play_settings(config, kAids), uniform, first, count, 1, kNever, {})->games;
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

  RunConfig config = tiny();
  MemoryServer server;
};

TEST_F(Collecting, ADuplicateIsDroppedAndCounted) {
  Collector collector(options(), fresh());
  collector.publish(1, 0, "weights", 4);
  const auto store = actor();
  const std::string bytes = result({0, 2});
  for (int i = 0; i < 3; ++i) store->deliver("run", "rack", {0, 2}, bytes);
  store->deliver("run", "rack", {2, 2}, result({2, 2}));
  const auto got = collector.take(4, kNever, {});
  ASSERT_TRUE(got);
  EXPECT_EQ(got->games.size(), 4U);
  EXPECT_TRUE(eventually([&] { return collector.figures().duplicates == 4; }));
  EXPECT_EQ(collector.figures().received, 4U);
}

TEST_F(Collecting, ResultsStayInTheStoreUntilTheyAreCommitted) {
  Collector collector(options(), fresh());
  collector.publish(1, 0, "weights", 4);
  const auto store = actor();
  store->deliver("run", "rack", {0, 2}, result({0, 2}));
  store->deliver("run", "rack", {2, 2}, result({2, 2}));
  ASSERT_TRUE(collector.take(3, kNever, {}));
  const auto results = [&] { return store->overview()->pulse.results; };
  EXPECT_EQ(results(), 2U);
  collector.commit();
  EXPECT_TRUE(eventually([&] { return results() == 1; })) << "one game of the second result is not taken yet";
  ASSERT_TRUE(collector.take(1, kNever, {}));
  collector.commit();
  EXPECT_TRUE(eventually([&] { return results() == 0; }));
  EXPECT_THAT(collector.state().taken.intervals(), ElementsAre(Pair(0, 4)));
}

TEST_F(Collecting, ResultsThatWaitForACheckpointAreNoReasonToTakeNoOthers) {
  const std::string game = result({0, 1});
  store::GamesMessage message = store::decode_games(game, game_rules(config));
  Collector collector(options(), fresh());
  collector.publish(1, 0, "weights", 1000);
  const auto store = actor();
  constexpr std::uint64_t kFirst = 1000, kAll = 1100;
  for (std::uint64_t n = 0; n < kAll; ++n) {
    if (n == kFirst) {
      ASSERT_TRUE(collector.take(static_cast<int>(kFirst), kNever, {}));
      collector.publish(1, 0, "weights", kAll);
      ASSERT_TRUE(eventually([&] { return store->overview()->pulse.upto == kAll; }));
    }
    message.range = {n, 1};
    message.games[0].number = n;
    ASSERT_EQ(store->deliver("run", "rack", {n, 1}, store::encode_games(message)), store::Delivery::taken) << n;
  }
  EXPECT_TRUE(collector.take(static_cast<int>(kAll - kFirst), kNever, {}));
}

TEST_F(Collecting, AfterALearnersDeathWhatWasNotCommittedIsTakenAgain) {
  CollectorState saved = fresh();
  {
    Collector collector(options(), saved);
    collector.publish(1, 0, "weights", 4);
    const auto store = actor();
    store->deliver("run", "rack", {0, 2}, result({0, 2}));
    ASSERT_TRUE(collector.take(2, kNever, {}));
    saved = collector.state();
    collector.commit();
    ASSERT_TRUE(eventually([&] { return store->overview()->pulse.results == 0; }));
    store->deliver("run", "rack", {2, 2}, result({2, 2}));
    ASSERT_TRUE(collector.take(2, kNever, {}));
  }
  Collector collector(options(), saved);
  collector.publish(1, 0, "weights", 4);
  const auto got = collector.take(2, kNever, {});
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
  collector.publish(1, 0, "weights", 4);
  const auto store = actor();
  store->deliver("run", "bad-actor", {0, 2}, "nonsense");
  store->deliver("run", "bad-actor", {0, 2}, result({2, 2}));
  store->deliver("run", "bad-actor", {100, 2}, result({100, 2}));
  server.inject("no range", "");
  EXPECT_TRUE(eventually([&] { return collector.figures().refused == 4; }));
  const CollectorFigures figures = collector.figures();
  EXPECT_EQ(figures.received, 0U);
  EXPECT_EQ(figures.refused_by.at("bad-actor"), 1U) << "the name in the message counts, where there is one";
  EXPECT_EQ(figures.refused_by.at("rack"), 2U);
  EXPECT_EQ(figures.refused_by.at("stranger"), 1U);
  EXPECT_TRUE(eventually([&] { return store->overview()->pulse.results == 0; })) << "and it leaves the store";
  const std::lock_guard lock(mutex);
  EXPECT_THAT(lines,
              testing::Contains(HasSubstr("refused a result of actor bad-actor: not games of format version 1")));
}

TEST_F(Collecting, GamesOfOldWeightsAreDroppedAndPlayedAgain) {
  Collector collector(options(), fresh());
  collector.publish(1, 0, "weights", 2);
  actor();
  collector.publish(2, 0, "newer", 2);
  collector.publish(3, 0, "newest", 2);
  const auto store = actor(3);
  const store::WeightsId newest = published(3, "newest");
  EXPECT_EQ(store->lease("run", newest, 2, 2).ranges.size(), 1U);
  store->deliver("run", "rack", {0, 2}, result({0, 2}, 1, "weights"));
  EXPECT_TRUE(eventually([&] { return collector.figures().old == 2; }));
  std::vector<store::Range> again;
  EXPECT_TRUE(eventually([&] { return !(again = store->lease("run", newest, 2, 2).ranges).empty(); }));
  EXPECT_THAT(again, ElementsAre(store::Range{0, 2}));
  store->deliver("run", "rack", {0, 2}, result({0, 2}, 2, "newer"));
  EXPECT_TRUE(collector.take(2, kNever, {})) << "a lag of one version is allowed";
}

TEST_F(Collecting, GamesOfTheSettingsBeforeAResumeAreDroppedAndPlayedAgain) {
  CollectorState before = fresh();
  before.weights[1] = published().checksum;
  Collector::Options changed = options();
  changed.card.config = "other settings";
  Collector collector(changed, before);
  collector.publish(1, 0, "weights", 2);
  const auto store = actor();
  const store::WeightsId now = published(1, "weights", changed.card.config);
  EXPECT_EQ(store->lease("run", now, 2, 2).ranges.size(), 1U);
  store->deliver("run", "rack", {0, 2}, result({0, 2}));
  EXPECT_TRUE(eventually([&] { return collector.figures().old == 2; }));
  EXPECT_TRUE(eventually([&] { return !store->lease("run", now, 2, 2).ranges.empty(); }));
}

TEST_F(Collecting, AStoreThatLostEverythingGetsTheRunAgain) {
  Collector collector(options(), fresh());
  collector.publish(1, 0, "weights", 6);
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

TEST_F(Collecting, NumbersThatNobodyHasAnyMoreAreLeasedAgain) {
  Collector collector(options(), fresh());
  collector.publish(1, 0, "weights", 4);
  auto store = actor();
  store->lease("run", published(), 4, 4);
  // The lease is gone, and the range of its games unknown.
  server.forget_leases();
  EXPECT_TRUE(eventually([&] { return !store->lease("run", published(), 4, 4).ranges.empty(); }));
}

TEST_F(Collecting, AnotherLearnerOfTheSameRunEndsTheFirst) {
  Collector first(options(), fresh());
  first.publish(1, 0, "weights", 4);
  actor();
  Collector second(options(), fresh());
  second.publish(1, 0, "weights", 4);
  EXPECT_THROW(first.take(1, kNever, {}), store::Superseded);
}

TEST(CollectorState, IsReadBackAndCheckedWhenItIsRead) {
  CollectorState state{"abc", {}, {{3, 17}, {4, 4'000'000'000}}};
  state.taken.add(0, 10);
  state.taken.add(20, 22);
  const CollectorState again = collector_state(nlohmann::json::parse(to_json(state).dump()));
  EXPECT_EQ(again.run, state.run);
  EXPECT_EQ(again.taken, state.taken);
  EXPECT_EQ(again.weights, state.weights);
  for (const char* text :
       {R"({})", R"({"run": 1, "taken": [], "weights": []})", R"({"run": "a", "taken": [[5, 3]], "weights": []})",
        R"({"run": "a", "taken": [[0, 3], [2, 5]], "weights": []})",
        R"({"run": "a", "taken": [[0, 99999999999999999]], "weights": []})"})
    EXPECT_ANY_THROW(collector_state(nlohmann::json::parse(text))) << text;
}

}  // namespace
}  // namespace quarto
