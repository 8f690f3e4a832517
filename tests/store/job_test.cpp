// A coordinator and workers as threads of one process, and results as strangers send them.
#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "base/random.h"
#include "store/coordinator.h"
#include "store/share_work.h"
#include "tests/support/eventually.h"
#include "tests/support/memory_store.h"

namespace quarto::store {
namespace {

using testing::HasSubstr;

const auto kPatient = [] { return false; };

// The work: the letters of the input in reverse, after the job's kit.
std::string reversed(const std::string& input) { return "kit:" + std::string(input.rbegin(), input.rend()); }

RunCard job_card(const std::string& kind = "reverse") {
  RunCard card;
  card.id = "job";
  card.build = store_build("1");
  card.config = "{}";
  card.fingerprint = fingerprint_text(fingerprint(card.config));
  card.kind = kind;
  return card;
}

class Lines {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    text_ += line + "\n";
  }
  bool has(const std::string& text) const { return count(text) > 0; }
  int count(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    int n = 0;
    for (std::size_t at = text_.find(text); at != std::string::npos; at = text_.find(text, at + 1)) ++n;
    return n;
  }

 private:
  mutable std::mutex mutex_;  // guards text_
  std::string text_;
};

class RunningWorker {
 public:
  explicit RunningWorker(MemoryServer& server, std::string name = "one", std::string version = "1", double seconds = 0,
                         std::optional<RunCard> only = std::nullopt, double beat = 0.05) {
    options_.only = std::move(only);
    options_.connect = [&server] { return server.connect(); };
    options_.name = std::move(name);
    options_.version = std::move(version);
    options_.stop = &stop_;
    options_.beat = beat;
    options_.say = [this](const std::string& line) { lines.add(line); };
    options_.make = [this, seconds](const RunCard& card) {
      if (card.kind != "reverse") throw WorkerRefused("no such kind");
      struct Reverse final : ShareWorker {
        Reverse(std::string of, double wait) : prefix(std::move(of)), seconds(wait) {}
        std::string work(const std::string& input, const std::atomic<bool>& stop) override {
          for (double waited = 0; waited < seconds && !stop; waited += 0.01)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          if (input == "fail") throw std::runtime_error("no memory for this");
          if (input == "no input") throw WireError("it is no input\x1b[2J");
          return prefix + std::string(input.rbegin(), input.rend());
        }
        std::string prefix;
        double seconds;
      };
      return make_share_work(options_.name, [this, seconds](const Kit& kit) {
        ++made;
        return std::make_unique<Reverse>(kit.at("prefix"), seconds);
      });
    };
    thread_ = std::thread([this] {
      try {
        result = work_for_store(options_);
      } catch (const std::exception& e) {
        error = e.what();
      }
    });
  }
  ~RunningWorker() { stop(); }
  void stop() {
    stop_ = true;
    join();
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }
  Lines lines;
  WorkerResult result;
  std::string error;
  std::atomic<int> made = 0;

 private:
  WorkerOptions options_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class Job : public testing::Test {
 protected:
  Coordinator::Options options(std::uint64_t patience = 1'000'000) {
    Coordinator::Options o;
    o.connect = [this] { return server.connect(); };
    o.card = job_card();
    o.kit = {{"prefix", "kit:"}};
    o.check = [](const std::string& input, const std::string& result) {
      if (result.starts_with('\x1b')) throw std::runtime_error("a " + result + " as a result");
      if (result.size() != input.size() + 4) throw std::runtime_error("its length is wrong");
    };
    o.patience = patience;
    o.tick = 0.02;
    o.say = [this](const std::string& line) { lines.add(line); };
    o.workers_command = "COMMAND";
    return o;
  }
  // Asks for so many shares, and expects the results of one process.
  void expect_all(Coordinator& coordinator, int count) {
    std::vector<std::pair<std::uint64_t, std::string>> asked;
    for (int i = 0; i < count; ++i) {
      const std::string input = "share " + std::to_string(i * i);
      asked.emplace_back(coordinator.ask(input), input);
    }
    for (const auto& [number, input] : asked) EXPECT_EQ(coordinator.take(number, kPatient), reversed(input));
  }
  std::string result(std::uint64_t number, const std::string& input, const std::string& text,
                     const std::string& worker = "stranger") {
    const std::string weights =
        encode_weights({.version = 1, .fingerprint = fingerprint("{}"), .file = encode_kit({{"prefix", "kit:"}})});
    return encode_share({.number = number,
                         .input = fingerprint(input),
                         .weights = decode_weights(weights).checksum,
                         .worker = worker,
                         .seconds = 1,
                         .result = text});
  }
  std::uint64_t inputs() {
    const auto overview = server.connect()->overview();
    return overview ? overview->pulse.inputs : 0;
  }
  MemoryServer server;
  Lines lines;
};

TEST_F(Job, SharesAreDoneByWorkersAndTakenInAnyOrder) {
  Coordinator coordinator(options());
  RunningWorker one(server), two(server, "two");
  expect_all(coordinator, 100);
  const std::uint64_t last = coordinator.ask("ab");
  const auto any = coordinator.take_any(kPatient);
  ASSERT_TRUE(any);
  EXPECT_EQ(any->first, last);
  EXPECT_EQ(any->second, "kit:ba");
  EXPECT_EQ(coordinator.figures().done, 101U);
  EXPECT_TRUE(coordinator.close(RunPhase::finished));
  one.join();
  two.join();
  EXPECT_EQ(one.error + two.error, "");
  EXPECT_TRUE(one.result.finished && two.result.finished);
  EXPECT_EQ(one.result.numbers + two.result.numbers, 101U);
}

TEST_F(Job, WhoeverAsksMayGiveUp) {
  Coordinator coordinator(options());
  const std::uint64_t number = coordinator.ask("x");
  int times = 0;
  EXPECT_EQ(coordinator.take(number, [&] { return ++times == 3; }), std::nullopt);
}

TEST_F(Job, ItIsSaidOnceThatNoWorkerIsThere) {
  Coordinator coordinator(options());
  const std::uint64_t number = coordinator.ask("x");
  EXPECT_TRUE(eventually([&] { return lines.has("no worker is there: start some with COMMAND"); }));
  RunningWorker worker(server);
  EXPECT_EQ(coordinator.take(number, kPatient), "kit:x");
  EXPECT_TRUE(eventually([&] { return lines.has("workers are there"); }));
  EXPECT_EQ(lines.count("no worker is there"), 1);
}

TEST_F(Job, SharesOfAWorkerThatDiesAreDoneByOthers) {
  Coordinator coordinator(options(5));
  const std::uint64_t number = coordinator.ask("abc");
  // A worker that leases the share and is never heard of again.
  const auto dead = server.connect();
  ASSERT_TRUE(eventually([&] {
    try {
      const Notice notice = dead->beat("job", "dead", "{}", {});
      return !dead->lease("job", notice.weights, 1, 1).ranges.empty();
    } catch (const RunGone&) {
      return false;
    }
  }));
  RunningWorker worker(server);
  EXPECT_EQ(coordinator.take(number, kPatient), "kit:cba");
  EXPECT_GE(coordinator.figures().expired, 1U);
}

TEST_F(Job, AShareThatIsDeliveredTwiceCountsOnce) {
  Coordinator coordinator(options());
  const std::uint64_t number = coordinator.ask("abc");
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(eventually([&] {
      server.inject(text_of({number, 1}), result(number, "abc", "kit:cba"));
      return coordinator.figures().done == 1;
    }));
  }
  EXPECT_EQ(coordinator.take(number, kPatient), "kit:cba");
  server.inject(text_of({number, 1}), result(number, "abc", "kit:xyz"));
  EXPECT_TRUE(eventually([&] { return coordinator.figures().duplicates > 0; }));
  EXPECT_EQ(coordinator.figures().done, 1U);
}

TEST_F(Job, WrongResultsAreRefusedCountedAndDoneAgain) {
  Coordinator coordinator(options());
  const std::uint64_t number = coordinator.ask("abc");
  ASSERT_TRUE(eventually([&] { return server.connect()->card().has_value(); }));
  const auto refused = [&](std::uint64_t before) {
    return eventually([&] { return coordinator.figures().refused == before; });
  };
  std::string damaged = result(number, "abc", "kit:cba");
  damaged.back() ^= 1;
  server.inject("0:1", damaged);
  EXPECT_TRUE(refused(1));
  server.inject("0:1", result(number, "abc", "too long to be right"));
  EXPECT_TRUE(refused(2));
  server.inject("7:1", result(number, "abc", "kit:cba"));
  EXPECT_TRUE(refused(3));
  server.inject("0:1", "");
  EXPECT_TRUE(refused(4));
  // Of another input, and of a share that nobody has asked for: as of a coordinator that was killed.
  server.inject("0:1", result(number, "other", "kit:rehto"));
  server.inject("9:1", result(9, "abc", "kit:cba"));
  // Nor has anybody asked for one with an empty input, whose result would pass the check.
  server.inject("9:1", result(9, "", "kit:"));
  EXPECT_TRUE(eventually([&] { return coordinator.figures().old == 3; }));
  EXPECT_EQ(lines.count("refused a result of worker stranger"), 1) << "once for each worker";
  EXPECT_EQ(coordinator.figures().done, 0U);
  RunningWorker worker(server);
  EXPECT_EQ(coordinator.take(number, kPatient), "kit:cba");
}

TEST_F(Job, RefusalsAreCountedAndSaidForEachWorker) {
  Coordinator coordinator(options());
  coordinator.ask("abc");
  ASSERT_TRUE(eventually([&] { return server.connect()->card().has_value(); }));
  std::uint64_t sent = 0;
  for (const std::string worker : {"one", "two", "one", "two", "two", "three"}) {
    server.inject("0:1", result(0, "abc", "too long to be right", worker));
    ASSERT_TRUE(eventually([&, expected = ++sent] { return coordinator.figures().refused == expected; }));
  }
  const std::map<std::string, std::uint64_t> expected = {{"one", 2}, {"three", 1}, {"two", 3}};
  EXPECT_EQ(coordinator.figures().refused_by, expected);
  EXPECT_TRUE(eventually([&] { return lines.has("refused a result of worker three"); }));
  for (const auto& [worker, times] : expected) EXPECT_EQ(lines.count("refused a result of worker " + worker), 1);
}

TEST_F(Job, ASecondOutageWithinAMinuteIsCountedAndNotSaid) {
  Coordinator coordinator(options());
  ASSERT_TRUE(eventually([&] { return coordinator.figures().connected; }));
  for (std::uint64_t n = 1; n <= 2; ++n) {
    server.set_down(true);
    ASSERT_TRUE(eventually([&] { return coordinator.figures().outages == n; }));
    server.set_down(false);
    ASSERT_TRUE(eventually([&] { return coordinator.figures().connected; }));
    ASSERT_TRUE(eventually([&] { return lines.has("the store answers again after"); }));
  }
  EXPECT_EQ(lines.count("trying again until it does"), 1);
  EXPECT_EQ(lines.count("the store answers again after"), 1);
}

// The fifth pause is at least 0.8 s: half of 0.1 s, doubled four times. Without growth it would be 0.15 s at most.
TEST_F(Job, AStoreThatLosesTheJobAgainAndAgainGetsItBackLaterAndLater) {
  Coordinator coordinator(options());
  double last = 0;
  for (int n = 0; n < 5; ++n) {
    ASSERT_TRUE(eventually([&] { return server.connect()->card().has_value(); }));
    const auto begin = std::chrono::steady_clock::now();
    server.empty();
    ASSERT_TRUE(eventually([&] { return server.connect()->card().has_value(); }));
    last = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  EXPECT_GE(last, 0.8);
}

TEST_F(Job, AStoreThatIsEmptiedRestartedOrLosesAnswersOrInputsCostsNothing) {
  Coordinator coordinator(options(10));
  RunningWorker one(server), two(server, "two", "1", 0.01);
  std::atomic<bool> stop = false;
  std::thread trouble([&] {
    Rng rng(7);
    for (int i = 0; i < 40 && !stop; ++i) {
      switch (rng.below(5)) {
        case 0:
          server.empty();
          break;
        case 1:
          server.forget_leases();
          break;
        case 2:
          server.forget_inputs();
          break;
        case 3:
          server.set_down(true);
          std::this_thread::sleep_for(std::chrono::milliseconds(30));
          server.set_down(false);
          break;
        default:
          server.lose_answers(3);
          break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  for (int i = 0; i < 4; ++i) expect_all(coordinator, 60);
  stop = true;
  trouble.join();
  EXPECT_EQ(one.error + two.error, "");
}

TEST_F(Job, ADamagedInputIsSentAgainAfterSomeTicksWithoutProgress) {
  Coordinator coordinator(options(5));
  const std::uint64_t number = coordinator.ask("abc");
  ASSERT_TRUE(eventually([&] { return inputs() == 1; }));
  server.change_inputs([](std::string& input) { input.back() = static_cast<char>(input.back() ^ 1); });
  RunningWorker worker(server);
  EXPECT_EQ(coordinator.take(number, kPatient), "kit:cba");
}

TEST_F(Job, AnInputThatWasReplacedIsSentAgainWhenAResultOfItComes) {
  Coordinator coordinator(options());
  const std::uint64_t number = coordinator.ask("abc");
  ASSERT_TRUE(eventually([&] { return inputs() == 1; }));
  server.change_inputs([&](std::string& input) { input = encode_input({number, "other"}); });
  RunningWorker worker(server);
  EXPECT_EQ(coordinator.take(number, kPatient), "kit:cba");
  EXPECT_GE(coordinator.figures().old, 1U);
}

TEST_F(Job, AWorkerLeavesAnInputThatIsNoneAndSaysSoOnce) {
  Coordinator coordinator(options());
  const std::uint64_t number = coordinator.ask("abc");
  ASSERT_TRUE(eventually([&] { return inputs() == 1; }));
  server.change_inputs([&](std::string& input) { input = encode_input({number, "no input"}); });
  RunningWorker worker(server);
  const std::string refused = "refused the input of share 0: it is no input?[2J (said once)";
  EXPECT_TRUE(eventually([&] { return worker.lines.has(refused); }));
  server.change_inputs([&](std::string& input) { input = encode_input({number, "abc"}); });
  EXPECT_EQ(coordinator.take(number, kPatient), "kit:cba");
  EXPECT_EQ(worker.lines.count(refused), 1);
  EXPECT_EQ(worker.error, "");
}

TEST_F(Job, AWorkerThatHandsAShareBackIsStillThere) {
  Coordinator::Options once = options();
  once.tick = 1e6;  // so that nobody is forgotten
  Coordinator coordinator(once);
  const std::uint64_t number = coordinator.ask("abc");
  ASSERT_TRUE(eventually([&] { return inputs() == 1; }));
  server.change_inputs([&](std::string& input) { input = encode_input({number, "no input"}); });
  // It gives one sign of life.
  RunningWorker worker(server, "one", "1", 0, std::nullopt, 1e6);
  EXPECT_TRUE(eventually([&] {
    const Pulse pulse = server.connect()->overview()->pulse;
    return pulse.free == 1 && pulse.actors == 1;
  }));
}

TEST_F(Job, ControlCharactersOfStrangersAreNotShown) {
  Coordinator coordinator(options());
  const std::uint64_t number = coordinator.ask("abc");
  ASSERT_TRUE(eventually([&] { return server.connect()->card().has_value(); }));
  server.inject("0:1", result(number, "abc", "\x1b]0;title\x07"));
  EXPECT_TRUE(eventually([&] { return coordinator.figures().refused == 1; }));
  EXPECT_TRUE(eventually([&] { return lines.has("refused a result of worker stranger: a ?]0;title? as a result"); }));
}

TEST_F(Job, AWorkerOfOneJobWaitsWhileTheStoreHoldsWhatAnOlderBuildLeft) {
  RunCard older = job_card();
  older.build = "quartozero 0, store format 1";
  server.connect()->open(older, 0);
  RunningWorker worker(server, "local", "1", 0, job_card());
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(worker.error, "");
  Coordinator coordinator(options());
  expect_all(coordinator, 3);
  EXPECT_EQ(worker.error, "");
}

TEST_F(Job, ThatAJobHasEndedIsToldByOneThatNeverReachedTheStoreAndByATeller) {
  const auto phase = [&] { return server.connect()->find()->phase; };
  // As an owner leaves it that was killed.
  server.connect()->open(job_card(), 0);
  EXPECT_TRUE(tell_finished([&] { return server.connect(); }, "other"));
  EXPECT_EQ(phase(), RunPhase::running);
  EXPECT_TRUE(tell_finished([&] { return server.connect(); }, "job"));
  EXPECT_EQ(phase(), RunPhase::finished);
  server.connect()->open(job_card(), 0);
  {
    Coordinator coordinator(options());
    EXPECT_TRUE(coordinator.close(RunPhase::finished));
  }
  EXPECT_EQ(phase(), RunPhase::finished);
}

TEST_F(Job, ACoordinatorThatIsRefusedSaysThatItFailed) {
  RunCard other = job_card();
  other.id = "another";
  server.connect()->open(other, 0);
  Coordinator coordinator(options());
  EXPECT_THROW(coordinator.take(coordinator.ask("x"), kPatient), StoreError);
  EXPECT_FALSE(coordinator.close(RunPhase::stopped));
  EXPECT_TRUE(coordinator.figures().failed);
}

TEST_F(Job, ACoordinatorThatWasKilledBeginsAgainAndOldResultsDoNotCount) {
  RunningWorker slow(server, "slow", "1", 0.2);
  {
    Coordinator first(options());
    first.ask("of the first");
    EXPECT_TRUE(eventually([&] { return slow.made > 0; }));
    // It ends without a word.
  }
  Coordinator second(options());
  expect_all(second, 5);
  EXPECT_EQ(slow.error, "");
}

TEST_F(Job, TheFirstOfTwoCoordinatorsOfOneJobIsToldThatItWasReplaced) {
  Coordinator first(options());
  const std::uint64_t number = first.ask("x");
  ASSERT_TRUE(eventually([&] { return server.connect()->card().has_value(); }));
  Coordinator second(options());
  EXPECT_THROW(first.take(number, kPatient), Superseded);
  RunningWorker worker(server);
  EXPECT_EQ(second.take(second.ask("ab"), kPatient), "kit:ba");
}

TEST_F(Job, WorkersOfAnotherBuildOrForAnotherKindRefuse) {
  Coordinator coordinator(options());
  coordinator.ask("x");
  RunningWorker other(server, "other", "2");
  other.join();
  EXPECT_THAT(other.error, HasSubstr("is of quartozero 1, store format"));
  MemoryServer games;
  const auto learner = games.connect();
  RunCard run = job_card(kGames);
  learner->open(run, 0);
  RunningWorker lost(games);
  lost.join();
  EXPECT_THAT(lost.error, HasSubstr("holds a run of self-play"));
}

TEST_F(Job, AWorkerThatFailsGivesBackWhatItHeld) {
  Coordinator coordinator(options());
  coordinator.ask("fail");
  RunningWorker worker(server);
  worker.join();
  EXPECT_EQ(worker.error, "no memory for this");
  EXPECT_TRUE(eventually([&] { return server.connect()->overview()->pulse.free == 1; }));
}

TEST_F(Job, AStoppedJobIsGoneOnWithAndAFinishedOneEndsItsWorkers) {
  RunningWorker worker(server);
  {
    Coordinator first(options());
    expect_all(first, 3);
    EXPECT_TRUE(first.close(RunPhase::stopped));
  }
  Coordinator second(options());
  expect_all(second, 3);
  EXPECT_TRUE(second.close(RunPhase::finished));
  worker.join();
  EXPECT_TRUE(worker.result.finished);
}

}  // namespace
}  // namespace quarto::store
