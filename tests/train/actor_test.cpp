// An actor beside a learner's side of the store that goes one step at a time.
#include "train/actor.h"

#include <gmock/gmock.h>

#include "base/scratch_directory.h"
#include "model/checkpoint.h"
#include "tests/train/many_support.h"
#include "train/learner.h"

namespace quarto {
namespace {

using store::MemoryServer;

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
    make_learner(config)->save_playing_weights(scratch.path());
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
        found = store::decode_games(entry.bytes, game_rules(self_play_settings(tiny())));
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

class Actor : public testing::Test {
 protected:
  MemoryServer server;
  HandLearner learner{server};
};

TEST_F(Actor, TakesWeightsAndSettingsThatAreOthersOfTheSameVersion) {
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
TEST_F(Actor, ThatWaitedForAFullStoreBeginsAnewInTheNextRun) {
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

TEST_F(Actor, RenewsTheLeasesOfResultsThatAFullStoreDoesNotTake) {
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

TEST_F(Actor, WaitsWhereTheRunHadFinishedBeforeItCame) {
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

TEST_F(Actor, ThatKeepsOnPlaysForARunThatIsResumedAfterItsEnd) {
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
  EXPECT_EQ(actor.result.numbers, 16U);
}

}  // namespace
}  // namespace quarto
