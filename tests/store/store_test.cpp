// What every store does: Redis, and the one in memory that stands in for it in other tests.
#include "store/store.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <thread>

#include "tests/support/eventually.h"
#include "tests/support/memory_store.h"
#include "tests/support/message_of.h"
#include "tests/support/redis_server.h"

namespace quarto::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

RunCard card(const std::string& id = "a") { return {id, "1", "f", "p", "seed: 1\n"}; }

class AnyStore : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() == std::string("memory")) return;
    ASSERT_TRUE(RedisServer::installed()) << kNoRedisServer;
    if (!redis_) redis_ = new RedisServer;
    redis_->connect()->clear();
  }
  static void TearDownTestSuite() {
    delete redis_;
    redis_ = nullptr;
  }
  std::unique_ptr<Store> connect() {
    return GetParam() == std::string("memory") ? memory_.connect() : redis_->connect();
  }
  // A run with weights of version 1 and games below `upto`.
  std::uint64_t begin(Store& store, std::uint64_t upto, std::uint64_t next = 0) {
    const std::uint64_t epoch = store.open(card(), next).epoch;
    store.publish(epoch, {{1}, upto, 100}, "weights");
    return epoch;
  }
  static std::vector<Range> lease(Store& store, std::uint32_t games, std::uint32_t longest = 4) {
    return store.lease("a", {1}, games, longest).ranges;
  }

  MemoryServer memory_;
  static RedisServer* redis_;
};
RedisServer* AnyStore::redis_ = nullptr;

INSTANTIATE_TEST_SUITE_P(Of, AnyStore, testing::Values("memory", "redis"), [](const auto& each) { return each.param; });

TEST_P(AnyStore, AnEmptyDatabaseHoldsNoRun) {
  const auto store = connect();
  EXPECT_EQ(store->card(), std::nullopt);
  EXPECT_FALSE(store->overview());
  EXPECT_THROW(store->lease("a", {1}, 1, 1), RunGone);
  EXPECT_THROW(store->deliver("a", "me", {0, 1}, ""), RunGone);
  EXPECT_THROW(store->beat("a", "s", "{}", {}), RunGone);
  EXPECT_THROW(store->weights("a"), RunGone);
  EXPECT_THROW(store->tick(1, 1, ""), RunGone);
  EXPECT_THROW(store->read(1, "", 1), RunGone);
}

TEST_P(AnyStore, TheCardIsReadBack) {
  const auto store = connect();
  const RunCard mine{"id", std::string("build\0x", 7), "f", "p", "many\nlines\r\n: #"};
  EXPECT_TRUE(store->open(mine, 0).empty);
  EXPECT_EQ(store->card(), mine);
  EXPECT_FALSE(store->open(mine, 0).empty);
}

TEST_P(AnyStore, TheCardComesWithThePhase) {
  const auto store = connect();
  EXPECT_FALSE(store->find());
  for (const RunPhase left : {RunPhase::stopped, RunPhase::finished}) {
    const std::uint64_t epoch = store->open(card(), 0).epoch;
    EXPECT_EQ(store->find().value().phase, RunPhase::running);
    store->close(epoch, left);
    EXPECT_EQ(store->find().value().phase, left);
    EXPECT_EQ(store->find().value().card, card());
  }
}

TEST_P(AnyStore, AnotherRunIsNotOverwrittenUnlessItHasFinished) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 10);
  EXPECT_THROW(store->open(card("b"), 0), StoreError);
  store->close(epoch, RunPhase::stopped);
  EXPECT_THROW(store->open(card("b"), 0), StoreError);
  store->open(card("a"), 0);
  store->close(store->open(card("a"), 0).epoch, RunPhase::finished);
  EXPECT_TRUE(store->open(card("b"), 0).empty);
  EXPECT_THROW(store->lease("a", {1}, 1, 1), RunGone);
}

TEST_P(AnyStore, NothingIsLeasedBeforeThereAreWeightsOrWithOthers) {
  const auto store = connect();
  const std::uint64_t epoch = store->open(card(), 0).epoch;
  EXPECT_FALSE(store->lease("a", {0}, 5, 4).notice.published);
  store->publish(epoch, {{1}, 10, 100}, "weights");
  const Lease old = store->lease("a", {0}, 5, 4);
  EXPECT_TRUE(old.notice.published);
  EXPECT_EQ(old.notice.weights.version, 1U);
  EXPECT_THAT(old.ranges, IsEmpty());
  EXPECT_THAT(lease(*store, 5), SizeIs(2));
  EXPECT_EQ(store->weights("a"), "weights");
  const WeightsId others{1, 77};
  store->publish(epoch, {others, 10, 100}, "weights");
  EXPECT_THAT(lease(*store, 5), IsEmpty()) << "of the same version, with another checksum";
  EXPECT_EQ(store->beat("a", "me", "{}", {}).weights, others);
  EXPECT_THAT(store->lease("a", others, 5, 4).ranges, SizeIs(2));
}

TEST_P(AnyStore, EveryNumberIsLeasedOnceUpToTheLimit) {
  const auto store = connect(), other = connect();
  const std::uint64_t epoch = begin(*store, 10);
  EXPECT_THAT(lease(*store, 6), ElementsAre(Range{0, 4}, Range{4, 2}));
  EXPECT_THAT(lease(*other, 6), ElementsAre(Range{6, 4}));
  EXPECT_THAT(lease(*store, 6), IsEmpty());
  store->publish(epoch, {{1}, 12, 100}, "");
  EXPECT_THAT(lease(*store, 6), ElementsAre(Range{10, 2}));
}

TEST_P(AnyStore, NumbersAreExactBeyondWhatADoublePrints) {
  const auto store = connect();
  const std::uint64_t far = kMostGames - 6;
  begin(*store, kMostGames, far);
  EXPECT_THAT(lease(*store, 10), ElementsAre(Range{far, 4}, Range{far + 4, 2}));
}

TEST_P(AnyStore, LeasesThatAreNotRenewedAreGivenToOthers) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 8);
  EXPECT_THAT(lease(*store, 8), ElementsAre(Range{0, 4}, Range{4, 4}));
  for (int i = 0; i < 4; ++i) {
    store->beat("a", "me", "{}", {{4, 4}});
    EXPECT_EQ(store->tick(epoch, 5, "").expired, 0U);
  }
  store->beat("a", "me", "{}", {{4, 4}});
  const Pulse pulse = store->tick(epoch, 5, "");
  EXPECT_EQ(pulse.expired, 1U);
  EXPECT_EQ(pulse.free, 1U);
  EXPECT_EQ(pulse.leased, 1U);
  // Renewing what was taken back changes nothing.
  store->beat("a", "me", "{}", {{0, 4}});
  EXPECT_THAT(lease(*store, 8), ElementsAre(Range{0, 4}));
}

TEST_P(AnyStore, WhereNothingIsLeftOldLeasesAreGivenASecondTime) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 4);
  EXPECT_THAT(lease(*store, 4), ElementsAre(Range{0, 4}));
  for (std::uint64_t i = 0; i < kSpareTicks; ++i) {
    EXPECT_THAT(lease(*store, 4), IsEmpty());
    store->beat("a", "slow", "{}", {{0, 4}});
    store->tick(epoch, 5, "");
  }
  EXPECT_THAT(lease(*store, 4), ElementsAre(Range{0, 4}));
  EXPECT_THAT(lease(*store, 4), IsEmpty()) << "once, and not to everybody";
}

TEST_P(AnyStore, WhoeverLeavesGivesBack) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 8);
  lease(*store, 8);
  store->beat("a", "me", "{}", {});
  EXPECT_EQ(store->tick(epoch, 5, "").actors, 1U);
  store->leave("a", "me", {{4, 4}});
  EXPECT_EQ(store->tick(epoch, 5, "").actors, 0U);
  EXPECT_THAT(lease(*store, 8), ElementsAre(Range{4, 4}));
}

TEST_P(AnyStore, WhoeverHandsBackWithoutItsNameIsStillThere) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 8);
  lease(*store, 8);
  store->beat("a", "me", "{}", {});
  store->leave("a", "", {{4, 4}});
  EXPECT_EQ(store->tick(epoch, 5, "").actors, 1U);
  EXPECT_THAT(lease(*store, 8), ElementsAre(Range{4, 4}));
}

TEST_P(AnyStore, ResultsAreReadInOrderUntilTheyAreRemoved) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 12);
  lease(*store, 12);
  const std::string binary("\0\r\n\xFFx", 5);
  EXPECT_EQ(store->deliver("a", "me", {4, 4}, binary), Delivery::taken);
  EXPECT_EQ(store->deliver("a", "me", {0, 4}, "second"), Delivery::taken);
  EXPECT_EQ(store->deliver("a", "me", {8, 4}, "third"), Delivery::taken);
  const std::vector<Entry> two = store->read(epoch, "", 2);
  ASSERT_THAT(two, SizeIs(2));
  EXPECT_EQ(two[0].member, "4:4");
  EXPECT_EQ(two[0].bytes, binary);
  const std::vector<Entry> rest = store->read(epoch, two[1].id, 10);
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_EQ(rest[0].bytes, "third");
  EXPECT_THAT(store->read(epoch, rest[0].id, 10), IsEmpty());
  store->remove(epoch, {two[0].id, rest[0].id});
  const std::vector<Entry> left = store->read(epoch, "", 10);
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].bytes, "second");
  EXPECT_EQ(store->tick(epoch, 5, "").leased, 0U) << "what is delivered is not leased any more";
}

TEST_P(AnyStore, AFullStreamTakesNothing) {
  const auto store = connect();
  const std::uint64_t epoch = store->open(card(), 0).epoch;
  store->publish(epoch, {{1}, 100, 2}, "weights");
  EXPECT_EQ(store->deliver("a", "me", {0, 1}, "x"), Delivery::taken);
  EXPECT_EQ(store->deliver("a", "me", {1, 1}, "x"), Delivery::taken);
  EXPECT_EQ(store->deliver("a", "me", {2, 1}, "x"), Delivery::full);
  store->remove(epoch, {store->read(epoch, "", 1)[0].id});
  EXPECT_EQ(store->deliver("a", "me", {2, 1}, "x"), Delivery::taken);
}

TEST_P(AnyStore, ALateDeliveryNeedNotBePlayedAgain) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 4);
  lease(*store, 4);
  store->tick(epoch, 1, "");
  EXPECT_EQ(store->tick(epoch, 1, "").free, 1U);
  EXPECT_EQ(store->deliver("a", "me", {0, 4}, "late"), Delivery::taken);
  EXPECT_THAT(lease(*store, 4), IsEmpty());
}

TEST_P(AnyStore, ALearnerThatWasReplacedIsRefused) {
  const auto store = connect();
  const std::uint64_t old = begin(*store, 4);
  const std::uint64_t now = store->open(card(), 0).epoch;
  EXPECT_THROW(store->tick(old, 5, ""), Superseded);
  EXPECT_THROW(store->read(old, "", 1), Superseded);
  EXPECT_THROW(store->publish(old, {{9}, 9, 9}, "x"), Superseded);
  EXPECT_THROW(store->release(old, {{0, 1}}), Superseded);
  EXPECT_THROW(store->remove(old, {"1-1"}), Superseded);
  EXPECT_THROW(store->close(old, RunPhase::finished), Superseded);
  EXPECT_NO_THROW(store->tick(now, 5, ""));
}

TEST_P(AnyStore, ALearnerWhoseServerCameBackWithOlderDataFindsItsRunGone) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 4);
  if (GetParam() == std::string("redis"))
    redis_->command({"HSET", "{quartozero}:run", "epoch", "1"});
  else
    memory_.forget_takeover();
  EXPECT_THROW(store->tick(epoch, 5, ""), RunGone);
  EXPECT_THROW(store->publish(epoch, {{9}, 9, 9}, "x"), RunGone);
  const Store::Opened again = store->open(card(), 0);
  EXPECT_GT(again.epoch, epoch);
  EXPECT_FALSE(again.empty);
  EXPECT_NO_THROW(store->tick(again.epoch, 5, ""));
}

TEST_P(AnyStore, ALearnerThatComesBackFindsLeasesAndResults) {
  const auto store = connect();
  begin(*store, 12);
  lease(*store, 8);
  store->deliver("a", "me", {0, 4}, "x");
  const Store::Opened again = store->open(card(), 0);
  EXPECT_FALSE(again.empty);
  EXPECT_THAT(lease(*store, 8), IsEmpty()) << "nothing is leased until the learner says up to where";
  store->publish(again.epoch, {{1}, 12, 100}, "weights");
  EXPECT_THAT(store->read(again.epoch, "", 10), SizeIs(1));
  EXPECT_THAT(lease(*store, 8), ElementsAre(Range{8, 4}));
}

TEST_P(AnyStore, NumbersThatAreReleasedComeFirst) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 100, 50);
  store->release(epoch, {{20, 3}, {7, 2}});
  EXPECT_THAT(lease(*store, 7), ElementsAre(Range{7, 2}, Range{20, 3}, Range{50, 2}));
}

// As the numbers that are missing are released where the store has lost them.
TEST_P(AnyStore, LongRangesAreLeasedInPieces) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 100, 50);
  store->release(epoch, {{10, 9}});
  EXPECT_THAT(lease(*store, 6), ElementsAre(Range{10, 4}, Range{14, 4}));
  EXPECT_EQ(store->tick(epoch, 5, "").free, 1U);
  store->leave("a", "me", {{14, 4}});
  EXPECT_THAT(lease(*store, 1, 1), ElementsAre(Range{14, 1}));
  EXPECT_THAT(lease(*store, 8), ElementsAre(Range{15, 3}, Range{18, 1}, Range{50, 4}));
}

// Of weights that allowed more. They wait for those that allow as much again.
TEST_P(AnyStore, NumbersBeyondTheLimitAreNotLeased) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 10);
  EXPECT_THAT(lease(*store, 8, 8), ElementsAre(Range{0, 8}));
  store->leave("a", "me", {{0, 8}});
  store->publish(epoch, {{1}, 6, 100}, "");
  EXPECT_EQ(store->tick(epoch, 5, "").free, 1U);
  EXPECT_THAT(lease(*store, 8, 8), ElementsAre(Range{0, 6}));
  EXPECT_THAT(lease(*store, 8, 8), IsEmpty());
  EXPECT_EQ(store->tick(epoch, 5, "").free, 0U);
  store->publish(epoch, {{1}, 10, 100}, "");
  EXPECT_EQ(store->tick(epoch, 5, "").free, 1U);
  EXPECT_THAT(lease(*store, 8, 8), ElementsAre(Range{6, 2}, Range{8, 2}));
}

TEST_P(AnyStore, TheKindOfARunIsReadBack) {
  const auto store = connect();
  RunCard job = card();
  job.kind = "label";
  store->open(job, 0);
  EXPECT_EQ(store->card(), job);
  EXPECT_EQ(store->overview()->card, job);
}

TEST_P(AnyStore, ARunThatIsOpenedAnewBeginsWithNothing) {
  const auto store = connect();
  const std::uint64_t old = begin(*store, 8);
  lease(*store, 4);
  store->deliver("a", "me", {0, 4}, "x");
  const Store::Opened anew = store->open(card(), 0, true);
  EXPECT_TRUE(anew.empty);
  EXPECT_THROW(store->tick(old, 5, ""), Superseded);
  store->publish(anew.epoch, {{1}, 8, 100}, "weights");
  EXPECT_THAT(store->read(anew.epoch, "", 10), IsEmpty());
  EXPECT_THAT(lease(*store, 4), ElementsAre(Range{0, 4}));
}

TEST_P(AnyStore, InputsAreThereUntilTheyAreRemoved) {
  const auto store = connect();
  EXPECT_THROW(store->inputs("a", {1}), RunGone);
  EXPECT_THROW(store->put_inputs(1, {{1, "x"}}), RunGone);
  const std::uint64_t epoch = begin(*store, 8);
  const std::string binary("\0\r\n\xFFx", 5);
  store->put_inputs(epoch, {{3, binary}, {kMostGames - 1, "far"}});
  EXPECT_THAT(store->inputs("a", {4, 3, kMostGames - 1}), ElementsAre(std::nullopt, binary, "far"));
  EXPECT_EQ(store->tick(epoch, 5, "").inputs, 2U);
  store->put_inputs(epoch, {{3, "other"}});
  store->remove_inputs(epoch, {kMostGames - 1, 77});
  EXPECT_THAT(store->inputs("a", {3, kMostGames - 1}), ElementsAre("other", std::nullopt));
  EXPECT_THAT(store->inputs("a", {}), IsEmpty());
  EXPECT_THROW(store->put_inputs(epoch - 1, {{1, "x"}}), Superseded);
  EXPECT_THROW(store->remove_inputs(epoch - 1, {1}), Superseded);
  store->close(epoch, RunPhase::finished);
  EXPECT_EQ(store->overview()->pulse.inputs, 0U);
}

TEST_P(AnyStore, AFinishedRunTakesNothingAndSaysSo) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 8);
  lease(*store, 4);
  store->deliver("a", "me", {0, 4}, "x");
  store->close(epoch, RunPhase::finished);
  EXPECT_EQ(store->lease("a", {1}, 4, 4).notice.phase, RunPhase::finished);
  EXPECT_EQ(store->deliver("a", "me", {4, 4}, "x"), Delivery::finished);
  EXPECT_EQ(store->beat("a", "s", "{}", {}).phase, RunPhase::finished);
  const auto all = store->overview();
  ASSERT_TRUE(all);
  EXPECT_EQ(all->pulse.results, 0U);
  EXPECT_EQ(all->weights_bytes, 0U);
  EXPECT_THAT(all->actors, IsEmpty());
}

TEST_P(AnyStore, ActorsAreShownAndForgotten) {
  const auto store = connect();
  const std::uint64_t epoch = begin(*store, 8);
  store->beat("a", "one", R"({"name": "x"})", {});
  store->tick(epoch, 5, "figures");
  const auto all = store->overview();
  ASSERT_TRUE(all);
  ASSERT_THAT(all->actors, SizeIs(1));
  EXPECT_EQ(all->actors[0].session, "one");
  EXPECT_EQ(all->actors[0].status, R"({"name": "x"})");
  EXPECT_EQ(all->actors[0].ticks_since, 1);
  EXPECT_EQ(all->stats, "figures");
  EXPECT_EQ(all->weights_bytes, 7U);
  for (std::uint64_t i = 0; i < kForgetTicks; ++i) store->tick(epoch, 5, "");
  EXPECT_THAT(store->overview()->actors, IsEmpty());
}

TEST_P(AnyStore, ConnectionsInManyThreadsLeaseEachNumberOnce) {
  const auto store = connect();
  begin(*store, 400);
  std::vector<std::vector<Range>> got(4);
  std::vector<std::unique_ptr<Store>> connections;
  for (std::size_t i = 0; i < got.size(); ++i) connections.push_back(connect());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < got.size(); ++i) {
      threads.emplace_back([&, i] {
        while (true) {
          const std::vector<Range> more = lease(*connections[i], 5, 3);
          if (more.empty()) return;
          got[i].insert(got[i].end(), more.begin(), more.end());
          for (const Range& range : more) connections[i]->deliver("a", "me", range, "x");
        }
      });
    }
  }
  RangeSet all;
  std::uint64_t count = 0;
  for (const auto& ranges : got) {
    for (const Range& range : ranges) {
      all.add(range.first, range.end());
      count += range.count;
    }
  }
  EXPECT_EQ(count, 400U);
  EXPECT_EQ(all.absent(400), 0U);
}

// ------------------------------------------------------------------------------------------------------------------

class Redis : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RedisServer::installed()) << kNoRedisServer; }
};

TEST_F(Redis, NobodyListening) {
  int port = 0;
  {
    const RedisServer server;
    port = server.port();
  }
  const auto store = make_redis_store(parse_store_url("redis://u:secret@127.0.0.1:" + std::to_string(port)));
  EXPECT_THROW(store->card(), StoreUnavailable);
  const std::string error = message_of([&] { store->card(); });
  EXPECT_THAT(error, HasSubstr("cannot connect to redis://127.0.0.1:"));
  EXPECT_THAT(error, testing::Not(HasSubstr("secret")));
}

TEST_F(Redis, AWrongPasswordIsAnErrorThatDoesNotRepeatIt) {
  const RedisServer server({"--requirepass", "right"});
  const std::string at = "@127.0.0.1:" + std::to_string(server.port());
  const auto wrong = make_redis_store(parse_store_url("redis://:wrong-secret" + at));
  EXPECT_THROW(wrong->card(), StoreError);
  EXPECT_THAT(message_of([&] { wrong->card(); }), HasSubstr("refuses the user or the password"));
  EXPECT_THAT(message_of([&] { wrong->card(); }), testing::Not(HasSubstr("secret")));
  EXPECT_THAT(message_of([&] { server.connect()->card(); }), HasSubstr("asks for a password"));
  EXPECT_EQ(make_redis_store(parse_store_url("redis://:right" + at))->card(), std::nullopt);
  EXPECT_EQ(make_redis_store(parse_store_url("redis://default:right" + at))->card(), std::nullopt);
}

TEST_F(Redis, AServerWithTooManyConnectionsIsNoWrongPassword) {
  const RedisServer server({"--requirepass", "right-secret", "--maxclients", "1"});
  const StoreUrl url = parse_store_url("redis://:right-secret@127.0.0.1:" + std::to_string(server.port()));
  // The server may not have noticed yet that its last client has gone.
  const auto only = make_redis_store(url), other = make_redis_store(url);
  std::string error;
  ASSERT_TRUE(eventually([&] { return (error = message_of([&] { only->card(); })) == "no error"; })) << error;
  for (int i = 0; i < 3; ++i) EXPECT_THROW(other->card(), StoreUnavailable);
  EXPECT_THAT(message_of([&] { other->card(); }), testing::Not(HasSubstr("secret")));
}

TEST_F(Redis, AServerThatWasRestartedIsFoundAgainByTheSameConnection) {
  RedisServer server({"--appendfsync", "always"});
  const auto store = server.connect();
  const std::uint64_t epoch = store->open(card(), 0).epoch;
  store->publish(epoch, {{1}, 10, 100}, "weights");
  for (const int signal : {SIGTERM, SIGKILL}) {
    server.restart(signal);
    EXPECT_THROW(store->tick(epoch, 5, ""), StoreUnavailable) << "the old connection is gone";
    EXPECT_NO_THROW(store->tick(epoch, 5, ""));
  }
  EXPECT_EQ(store->weights("a"), "weights");
  server.lose_everything();
  EXPECT_THROW(store->card(), StoreUnavailable);
  EXPECT_EQ(store->card(), std::nullopt);
}

TEST_F(Redis, AServerThatHangsIsUnavailable) {
  const RedisServer server;
  const auto store = make_redis_store(parse_store_url(server.url()), {.connect = 60, .answer = 0.2});
  server.pause();
  EXPECT_THROW(store->card(), StoreUnavailable);
  server.go_on();
  EXPECT_EQ(server.connect()->card(), std::nullopt);
}

TEST_F(Redis, AStoreWithoutMemoryIsUnavailable) {
  const RedisServer server({"--maxmemory", "2mb", "--maxmemory-policy", "noeviction"});
  const auto store = server.connect();
  const std::uint64_t epoch = store->open(card(), 0).epoch;
  store->publish(epoch, {{1}, 1000, 1000}, "weights");
  EXPECT_THROW(
      {
        for (int i = 0; i < 100; ++i) store->deliver("a", "me", {0, 1}, std::string(100'000, 'x'));
      },
      StoreUnavailable);
}

TEST_F(Redis, AServerThatThrowsKeysOutSaysSo) {
  const RedisServer server({"--maxmemory", "2mb", "--maxmemory-policy", "allkeys-lru"});
  const auto store = server.connect();
  EXPECT_EQ(store->eviction(), "") << "nothing was thrown out yet";
  try {
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t epoch = store->open(card(), 0).epoch;
      store->publish(epoch, {{1}, 1000, 1000}, std::string(200'000, 'x'));
      store->deliver("a", "me", {0, 1}, std::string(100'000, 'x'));
    }
    FAIL() << "it has room for all";
  } catch (const RunGone&) {
  } catch (const StoreUnavailable&) {  // what is left of the run takes all its memory
  }
  EXPECT_THAT(store->eviction(),
              testing::ContainsRegex("has thrown out [1-9][0-9]* keys.*allkeys-lru: set noeviction"));
  EXPECT_EQ(RedisServer().connect()->eviction(), "");
}

TEST_F(Redis, DatabasesAreApart) {
  const RedisServer server;
  const auto zero = server.connect(0), one = server.connect(1);
  zero->open(card("a"), 0);
  one->open(card("b"), 0);
  EXPECT_EQ(zero->card()->id, "a");
  EXPECT_EQ(one->card()->id, "b");
}

TEST_F(Redis, LargeResultsOfStrangersAreNotRead) {
  const RedisServer server;
  const auto store = server.connect();
  const std::uint64_t epoch = store->open(card(), 0).epoch;
  store->publish(epoch, {{1}, 100, 100}, "weights");
  store->deliver("a", "me", {0, 1}, std::string(5 << 20, 'x'));
  for (std::uint64_t i = 1; i < 10; ++i) store->deliver("a", "me", {i, 1}, std::string(3 << 20, 'x'));
  const std::vector<Entry> first = store->read(epoch, "", 64);
  ASSERT_THAT(first, SizeIs(7)) << "16 MB and what the last one has more";
  EXPECT_EQ(first[0].bytes, "") << "too long";
  EXPECT_EQ(first[1].bytes.size(), std::size_t{3} << 20);
  EXPECT_THAT(store->read(epoch, first.back().id, 64), SizeIs(3));
}

TEST_F(Redis, KeysOfStrangersInTheStoreAreNoCrash) {
  const RedisServer server;
  const auto store = server.connect();
  const std::uint64_t epoch = store->open(card(), 0).epoch;
  store->publish(epoch, {{1}, 10, 100}, "weights");
  server.command({"ZADD", "{quartozero}:free", "0", "nonsense"});
  server.command({"XADD", "{quartozero}:results", "*", "q", "1"});
  EXPECT_NO_THROW(store->lease("a", {1}, 4, 4));
  EXPECT_THAT(store->read(epoch, "", 10), SizeIs(1));
  server.command({"DEL", "{quartozero}:results"});
  server.command({"SET", "{quartozero}:results", "a string"});
  EXPECT_THROW(store->tick(epoch, 5, ""), StoreError);
}

}  // namespace
}  // namespace quarto::store
