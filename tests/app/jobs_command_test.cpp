// A coordinator, workers and a Redis server as processes, some of which are killed.
#include <gmock/gmock.h>

#include <memory>

#include "base/json_library.h"
#include "base/random.h"
#include "store/wire.h"
#include "tests/app/process.h"
#include "tests/app/run_quartozero.h"
#include "tests/support/files_of.h"
#include "tests/support/redis_server.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using testing::Not;

class JobsCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    ASSERT_TRUE(RedisServer::installed()) << kNoRedisServer;
    server_ = std::make_unique<RedisServer>();
    for (const char* log : {"coordinator.log", "workers.log"}) write_file_atomic(path(log), "");
  }

  std::unique_ptr<Process> worker(const std::string& name) const {
    return std::make_unique<Process>(std::vector<std::string>{"worker", "--store", server_->url(), "--threads", "1",
                                                              "--table-mb", "16", "--name", name},
                                     path("workers.log"));
  }
  std::unique_ptr<Process> coordinator(std::vector<std::string> words) const {
    words.insert(words.end(), {"--store", server_->url(), "--lease", "4"});
    return std::make_unique<Process>(words, path("coordinator.log"));
  }
  // A coordinator that has announced its job and leaves all of it to workers.
  std::unique_ptr<Process> only_coordinator(std::vector<std::string> words) const {
    words.push_back("--only-coordinate");
    auto process = coordinator(words);
    eventually([&] { return shown().value("phase", "") == "running"; }, kLongest);
    return process;
  }
  std::vector<std::string> labels_to(const std::string& name) const {
    return {"label", "--pieces",   "6-12", "--per-stratum", "60",      "--threads",
            "1",     "--table-mb", "16",   "--out",         path(name)};
  }
  std::string said() const {
    return "coordinator:\n" + read_file(path("coordinator.log")) + "workers:\n" + read_file(path("workers.log"));
  }
  nlohmann::json shown() const {
    const nlohmann::json all = nlohmann::json::parse(run("store " + server_->url() + " --json").out);
    return all.is_object() ? all : nlohmann::json::object();
  }
  // How many shares the store says are done.
  std::uint64_t done() const {
    const nlohmann::json all = shown();
    return all.contains("learner") ? all["learner"].value("done", std::uint64_t{0}) : 0;
  }

  // The command with three workers. One of them is killed at a random moment, and the store is restarted.
  void run_with_trouble(const std::vector<std::string>& words, std::uint64_t seed) {
    Rng rng(seed);
    const auto first = worker("w1"), second = worker("w2");
    auto third = worker("w3");
    const auto coordinating = coordinator(words);
    std::optional<int> status;
    eventually([&] { return (status = coordinating->ended()) || done() >= 3; }, kLongest);
    std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(300)));
    third->kill(SIGKILL);
    third = worker("w4");
    if (!status) server_->restart(SIGKILL);
    if (!status) status = coordinating->wait_for_end();
    ASSERT_EQ(status, 0) << said();
    for (const auto& each : {first.get(), second.get(), third.get()}) {
      // One that has not seen the job before its end waits for the next.
      std::optional<int> ended = each->ended();
      if (!ended) {
        each->signal(SIGTERM);
        ended = each->wait_for_end();
      }
      EXPECT_THAT(ended, testing::AnyOf(0, 128 + SIGTERM)) << said();
    }
  }

  std::unique_ptr<RedisServer> server_;
};

TEST_F(JobsCommand, LabelsAreTheBytesOfOneProcessWhateverIsKilled) {
  ASSERT_EQ(Process(labels_to("alone.labels"), path("alone.log")).wait_for_end(), 0);
  run_with_trouble(labels_to("shared.labels"), 1);
  if (HasFatalFailure()) return;
  EXPECT_TRUE(read_file(path("shared.labels")) == read_file(path("alone.labels")));
  EXPECT_EQ(shown()["phase"], "finished");
  EXPECT_THAT(run("store " + server_->url()).out, HasSubstr("the job has finished"));
}

TEST_F(JobsCommand, AWalkIsTheBytesOfOneProcessWhateverIsKilled) {
  const std::string player = "endgame:11:net:" QUARTOZERO_CHECKPOINTS "/small@8";
  std::vector<std::string> alone = {"exploit", player, "--threads", "1", "--table-mb", "16"}, shared = alone;
  alone.insert(alone.end(), {"--out", path("alone"), "--json", path("alone.json")});
  shared.insert(shared.end(), {"--out", path("shared"), "--json", path("shared.json")});
  ASSERT_EQ(Process(alone, path("alone.log")).wait_for_end(), 0);
  run_with_trouble(shared, 2);
  if (HasFatalFailure()) return;
  EXPECT_EQ(read_file(path("shared.json")), read_file(path("alone.json")));
  const auto kept = [](auto files) {
    std::erase_if(files, [](const auto& file) { return file.first.ends_with(".lock"); });
    return files;
  };
  EXPECT_TRUE(kept(files_of(path("shared"))) == kept(files_of(path("alone"))));
}

TEST_F(JobsCommand, ARoundRobinHasTheResultsOfOneProcessWhateverIsKilled) {
  std::vector<std::string> alone = {"rate",
                                    "random",
                                    "oneply",
                                    "lookahead:2",
                                    "rollout:64",
                                    "endgame:7:oneply",
                                    "net:" QUARTOZERO_CHECKPOINTS "/small@2",
                                    "light:" QUARTOZERO_CHECKPOINTS "/small",
                                    "--games",
                                    "20",
                                    "--threads",
                                    "1",
                                    "--table-mb",
                                    "16"};
  std::vector<std::string> shared = alone;
  alone.insert(alone.end(), {"--out", path("alone.json")});
  shared.insert(shared.end(), {"--out", path("shared.json")});
  ASSERT_EQ(Process(alone, path("alone.log")).wait_for_end(), 0);
  run_with_trouble(shared, 3);
  if (HasFatalFailure()) return;
  // All but the time that the pairings took.
  nlohmann::json results[2];
  for (const int i : {0, 1}) {
    results[i] = nlohmann::json::parse(read_file(path(i == 0 ? "alone.json" : "shared.json")));
    for (auto& pairing : results[i]["pairings"]) pairing.erase("seconds");
  }
  EXPECT_EQ(results[0], results[1]);
  says("rate --resume --out " + path("shared.json") + " random oneply lookahead:2 rollout:64 " +
           "endgame:7:oneply net:" QUARTOZERO_CHECKPOINTS "/small@2 light:" QUARTOZERO_CHECKPOINTS "/small --games 20",
       HasSubstr("7 players, 21 pairings of 20 games"));
}

TEST_F(JobsCommand, NoProgramIsEverRunForAnotherMachine) {
  fails(1, "rate random 'engine:cat' --games 2 --store " + server_->url(),
        HasSubstr("are programs, so they play only without --store"));
  // Neither where a coordinator of another make asks for it.
  const auto store = server_->connect();
  store::RunCard card;
  card.id = "job";
  card.build = store::store_build(QUARTOZERO_VERSION);
  card.kind = "exploit";
  card.config = R"({"player": "engine:touch )" + path("touched") +
                R"(", "rules": "lines", "seed": 0, "search": [], "solve_squares": 7, "exact_squares": 0})";
  card.fingerprint = store::fingerprint_text(store::fingerprint(card.config));
  const std::uint64_t epoch = store->open(card, 0).epoch;
  const std::string kit = store::encode_weights(
      {.version = 1, .fingerprint = store::fingerprint(card.config), .file = store::encode_kit({})});
  store->publish(epoch, {{1, store::decode_weights(kit).checksum}, 1, 10}, kit);
  const Ran worker = run("worker --threads 1 --store " + server_->url());
  EXPECT_EQ(worker.status, 1);
  EXPECT_THAT(worker.err, HasSubstr("are programs, so they play only without --store"));
  EXPECT_FALSE(std::filesystem::exists(path("touched")));
}

TEST_F(JobsCommand, AKilledCoordinatorIsGoneOnWithByTheSameCommandAndWithoutAStore) {
  const std::vector<std::string> shared = labels_to("shared.labels");
  const auto working = worker("w1");
  {
    const auto coordinating = coordinator(shared);
    eventually([&] { return done() >= 2 || coordinating->ended(); }, kLongest);
    coordinating->kill(SIGKILL);
  }
  // A signal that comes before the program listens to it ends the program at once; then once more, and later.
  int status = -1;
  for (int tries = 1; status != 0 && status != 1 && tries <= 20; ++tries) {
    const auto coordinating = coordinator(shared);
    std::this_thread::sleep_for(std::chrono::milliseconds(200 * tries));
    coordinating->signal(SIGTERM);
    status = coordinating->wait_for_end().value_or(-1);
  }
  EXPECT_THAT(status, testing::AnyOf(0, 1)) << said();
  EXPECT_THAT(shown()["phase"], testing::AnyOf("stopped", "finished")) << said();
  if (!std::filesystem::exists(path("shared.labels"))) {
    ASSERT_EQ(Process(shared, path("alone.log")).wait_for_end(), 0) << read_file(path("alone.log"));
  }
  ASSERT_EQ(Process(labels_to("alone.labels"), path("alone.log")).wait_for_end(), 0);
  EXPECT_TRUE(read_file(path("shared.labels")) == read_file(path("alone.labels")));
}

TEST_F(JobsCommand, WhoeverOnlyCoordinatesSaysThatNobodyWorksAndTheStoreShowsTheJob) {
  const auto coordinating = only_coordinator(labels_to("shared.labels"));
  eventually([&] { return said().find("no worker is there") != std::string::npos; }, kLongest);
  EXPECT_THAT(said(), HasSubstr("start some with quartozero worker --store redis://127.0.0.1:"));
  const Ran seen = run("store " + server_->url());
  EXPECT_THAT(seen.out, HasSubstr(", label, running, "));
  EXPECT_THAT(seen.out, HasSubstr("no workers: start them with quartozero worker"));
  // An actor has no business here.
  const Ran actor = run("actor --store " + server_->url());
  EXPECT_EQ(actor.status, 1);
  EXPECT_THAT(actor.err, HasSubstr("holds a job of the kind 'label', and actors play games"));
  // Nor has another job.
  const Ran other = run("label --pieces 12 --per-stratum 5 --out " + path("other.tsv") + " --store " + server_->url());
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("the database holds another run or job that has not finished"));
  EXPECT_FALSE(std::filesystem::exists(path("other.tsv.partial"))) << "it holds nothing";
  const auto working = worker("rack-7");
  EXPECT_TRUE(
      eventually([&] { return run("store " + server_->url()).out.find("rack-7") != std::string::npos; }, kLongest));
  coordinating->signal(SIGTERM);
  EXPECT_THAT(coordinating->wait_for_end(), testing::AnyOf(0, 1));
}

std::string line_of(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

TEST_F(JobsCommand, ASecondProcessForTheSameFileLeavesTheFirstAloneAndTheEndIsToldLater) {
  const std::vector<std::string> shared = labels_to("shared.labels");
  const auto coordinating = only_coordinator(shared);
  const std::string again = line_of(shared) + " --store " + server_->url();
  fails(1, again, HasSubstr("another process is at work"));
  EXPECT_FALSE(coordinating->ended()) << said();
  const auto working = worker("w1");
  ASSERT_EQ(coordinating->wait_for_end(), 0) << said();
  EXPECT_THAT(said(), Not(HasSubstr("taken")));
  // As if it had been killed after the file was written.
  const auto store = server_->connect();
  store->open(*store->card(), 0);
  ASSERT_EQ(shown()["phase"], "running");
  // Another job is not the one that has ended.
  EXPECT_EQ(run(again + " --seed 9").status, 1);
  EXPECT_EQ(shown()["phase"], "running");
  fails(1, again, HasSubstr("is there already"));
  EXPECT_EQ(shown()["phase"], "finished");
}

TEST_F(JobsCommand, OtherLabelsOfAFileOfTheSameNameAreAnotherJob) {
  const std::vector<std::string> shared = labels_to("shared.labels");
  const auto coordinating = only_coordinator(shared);
  coordinating->kill(SIGKILL);
  // As on a host where the first has no file.
  std::filesystem::remove(path("shared.labels.partial"));
  fails(1, line_of(shared) + " --seed 2 --store " + server_->url(), HasSubstr("holds another run or job"));
}

TEST_F(JobsCommand, ARoundRobinGoesOnWithMorePlayersAndOtherThreads) {
  const std::string rest = "--games 2 --table-mb 16 --out " + path("ladder.json");
  const auto coordinating = only_coordinator(
      {"rate", "random", "oneply", "--games", "2", "--table-mb", "16", "--out", path("ladder.json"), "--threads", "1"});
  coordinating->kill(SIGKILL);
  says("rate random oneply lookahead:2 --threads 2 --resume " + rest + " --store " + server_->url(),
       HasSubstr("3 players, 3 pairings of 2 games"));
}

TEST_F(JobsCommand, AWorkerLeavesAnInputThatIsNoPositions) {
  std::vector<std::string> shared = labels_to("shared.labels");
  shared.push_back("--only-coordinate");
  auto coordinating = coordinator(shared);
  const auto store = server_->connect();
  std::optional<std::string> kit;
  ASSERT_TRUE(eventually(
      [&] {
        if (const auto card = store->card()) kit = store->weights(card->id);
        return kit.has_value();
      },
      kLongest))
      << said();
  coordinating->kill(SIGKILL);
  const std::uint64_t epoch = store->open(*store->card(), 0, true).epoch;
  store->put_inputs(epoch, {{0, store::encode_input({0, "rubbish"})}});
  store->publish(epoch, {{1, store::decode_weights(*kit).checksum}, 1, 10}, *kit);
  const auto working = worker("w1");
  const std::string refused = "refused the input of share 0: its positions are cut short (said once)";
  eventually([&] { return said().find(refused) != std::string::npos || working->ended(); }, kLongest);
  EXPECT_THAT(said(), HasSubstr(refused));
  EXPECT_FALSE(working->ended()) << said();
  // The coordinator has the right ones.
  coordinating = coordinator(shared);
  EXPECT_EQ(coordinating->wait_for_end(), 0) << said();
}

TEST_F(JobsCommand, AnEndThatTheStoreCannotBeToldIsSaid) {
  const auto coordinating = only_coordinator(labels_to("shared.labels"));
  server_->kill(SIGKILL);
  coordinating->signal(SIGTERM);
  EXPECT_EQ(coordinating->wait_for_end(), 1) << said();
  EXPECT_THAT(said(), HasSubstr("quartozero store redis://127.0.0.1:"));
  EXPECT_THAT(said(), HasSubstr("so it could not be told that this process leaves its job"));
}

TEST_F(JobsCommand, OptionsOfAStoreNeedOne) {
  EXPECT_EQ(run("worker").status, 2);
  EXPECT_EQ(run("label --out " + path("x.tsv") + " --only-coordinate").status, 2);
  EXPECT_EQ(run("label --out " + path("x.tsv") + " --book none --store " + server_->url()).status, 2);
  fails(2, "label --out " + path("x.tsv") + " --lease 3 --store " + server_->url(), HasSubstr("--lease"));
  fails(1, "label --pieces 12 --out " + path("x.tsv") + " --store http://here",
        HasSubstr("it must begin with redis:// or rediss://"));
}

}  // namespace
}  // namespace quarto
