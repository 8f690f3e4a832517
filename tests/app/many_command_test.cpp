// A learner, actors and a Redis server as processes, which are killed.
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "base/json_library.h"
#include "solver/prover.h"
#include "tests/app/process.h"
#include "tests/app/run_quartozero.h"
#include "tests/support/files_of.h"
#include "tests/support/games_of_run.h"
#include "tests/support/redis_server.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using testing::Not;

class ManyCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    ASSERT_TRUE(RedisServer::installed()) << kNoRedisServer;
    server_ = std::make_unique<RedisServer>();
  }

  void write_config(const std::string& mode, int iterations) const {
    write_file_atomic(path("tiny.yaml"),
                      "device: cpu\n"
                      "network: {width: 16, blocks: 1}\n"
                      "search: {proof_nodes: 30}\n"
                      "selfplay: {simulations: 8, threads: 1, games_in_flight: 8, random_starts: 0.3, surprise: 0.5}\n"
                      "learner: {threads: 1, batch: 64, reuse: 0.5}\n"
                      "limits: {iterations: " +
                          std::to_string(iterations) + ", games: 24, archive_every: 1, mode: " + mode +
                          "}\n"
                          "evaluation: {every: 0}\n");
  }
  std::unique_ptr<Process> learner(bool resume) const {
    std::vector<std::string> words = {"train"};
    if (resume)
      words.push_back("--resume");
    else
      words.push_back(path("tiny.yaml"));
    for (const std::string& word :
         {std::string("--out"), path("run"), std::string("--store"), store(), std::string("--lease"), std::string("4")})
      words.push_back(word);
    return std::make_unique<Process>(words, path("learner.log"));
  }
  std::unique_ptr<Process> actor(const std::string& name, int threads = 1) const {
    return std::make_unique<Process>(
        std::vector<std::string>{"actor", "--store", store(), "--threads", std::to_string(threads), "--device", "cpu",
                                 "--name", name},
        path("actors.log"));
  }
  bool wait_for(const std::string& file) const {
    return eventually([&] { return std::filesystem::exists(path(file)); }, kLongest);
  }
  bool wait_for_text(const std::string& file, const std::string& text) const {
    return eventually(
        [&] { return std::filesystem::exists(path(file)) && read_file(path(file)).find(text) != std::string::npos; },
        kLongest);
  }
  std::string said() const {
    return "learner:\n" + read_file(path("learner.log")) + "actors:\n" + read_file(path("actors.log"));
  }

  // Learner, three actors, and so many kills, restarts and pauses at random moments. The run ends by itself.
  void run_with_trouble(int events, std::uint64_t seed) {
    Rng rng(seed);
    std::unique_ptr<Process> learning = learner(false);
    std::vector<std::unique_ptr<Process>> actors;
    for (int i = 0; i < 3; ++i) actors.push_back(actor("a" + std::to_string(i), 1 + i % 2));
    ASSERT_TRUE(wait_for("run/checkpoint/state.json")) << said();
    std::optional<int> status;
    const auto end = Clock::now() + kLongest;
    int happened = 0;
    while (!status && Clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50 + rng.below(250)));
      if ((status = learning->ended()) || happened >= events) continue;
      ++happened;
      auto& one = actors[rng.below(actors.size())];
      switch (rng.below(6)) {
        case 0:
          learning->kill(SIGKILL);
          learning = learner(true);
          break;
        case 1:
          server_->restart(rng.below(2) ? SIGTERM : SIGKILL);
          break;
        case 2:
          if (happened % 3 == 0) server_->lose_everything();
          break;
        case 3: {
          one->signal(SIGSTOP);
          std::this_thread::sleep_for(std::chrono::milliseconds(100 + rng.below(900)));
          one->signal(SIGCONT);
          break;
        }
        default:
          one->kill(rng.below(3) ? SIGKILL : SIGTERM);
          one = actor("b" + std::to_string(happened));
          break;
      }
    }
    ASSERT_EQ(status, 0) << said();
    // One that has not seen the run before its end, or saw the store without its memory, waits for the next run.
    for (auto& each : actors) {
      std::optional<int> ended = each->ended();
      if (!ended) {
        each->signal(SIGTERM);
        ended = each->wait_for_end();
      }
      EXPECT_THAT(ended, testing::AnyOf(0, 128 + SIGTERM)) << said();
    }
  }

  RunConfig config() const { return load_run_config(path("run") + "/config.yaml", {}); }

  // As `user_`, if there is one.
  std::string store() const {
    std::string url = server_->url();
    return url.insert(url.find("//") + 2, user_);
  }

  std::unique_ptr<RedisServer> server_;
  std::string user_;  // "name:password@"
};

// The user that docs/many.md describes may do everything that the program does, and touch nothing else.
TEST_F(ManyCommand, TheUserOfTheDocumentationMayDoWhatIsNeeded) {
  const std::string page = read_file(QUARTOZERO_CHECKPOINTS "/../docs/many.md");
  const auto begin = page.find("ACL SETUSER quarto ");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream line(page.substr(begin, page.find('\n', begin) - begin));
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word == ">PASSWORD" ? ">secret" : word);
  server_->command(words);
  server_->command({"ACL", "SETUSER", "default", "off"});
  user_ = "quarto:secret@";
  write_config("concurrent", 3);
  const auto playing = actor("one");
  const auto learning = learner(false);
  EXPECT_EQ(learning->wait_for_end(), 0) << said();
  EXPECT_EQ(playing->wait_for_end(), 0) << said();
  EXPECT_THAT(run("store " + store()).out, HasSubstr("finished"));
  EXPECT_THAT(run("store " + store() + " --clear").out, HasSubstr("removed run"));

  const Process working({"worker", "--store", store(), "--threads", "1", "--table-mb", "16"}, path("actors.log"));
  Process labelling({"label", "--pieces", "10-12", "--per-stratum", "20", "--threads", "1", "--table-mb", "16", "--out",
                     path("some.labels"), "--store", store()},
                    path("learner.log"));
  EXPECT_EQ(labelling.wait_for_end(), 0) << said();
  const Ran closed = run("store " + server_->url());
  EXPECT_EQ(closed.status, 1) << "the user is needed";
}

TEST_F(ManyCommand, WhateverIsKilledEveryGameIsThereOnceAndIsTheGameOfItsSeedNumberAndWeights) {
  write_config("concurrent", 16);
  run_with_trouble(14, 1);
  if (HasFatalFailure()) return;
  EXPECT_THAT(read_file(path("run") + "/checkpoint/state.json"), HasSubstr("\"taken\""));
  expect_games_of_run(path("run"), config(), {.prover = &solver_prover()});
}

TEST_F(ManyCommand, WhateverIsKilledARunInTurnEndsWithTheBytesOfOneProcess) {
  write_config("alternating", 8);
  ASSERT_EQ(run("train " + path("tiny.yaml") + " --out " + path("alone") + " --quiet").status, 0);
  run_with_trouble(10, 2);
  if (HasFatalFailure()) return;
  for (const char* file : {"/checkpoint/model.safetensors", "/checkpoint/learner.safetensors", "/replay/00000008.qrs"})
    EXPECT_TRUE(read_file(path("run") + file) == read_file(path("alone") + file)) << file;
  expect_games_of_run(path("run"), config(), {.prover = &solver_prover()});
}

// Without an actor the learner waits for games for ever.
TEST_F(ManyCommand, ALearnerStopsAtTheFirstSignalAndCanGoOn) {
  write_config("concurrent", 100'000);
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto learning = learner(signal == SIGINT);
    ASSERT_TRUE(wait_for("run/checkpoint/state.json")) << said();
    if (signal == SIGINT) {
      ASSERT_TRUE(wait_for_text("learner.log", "resuming ")) << said();
    }
    learning->signal(signal);
    ASSERT_EQ(learning->wait_for_end(), 1) << said();
  }
  const std::string text = read_file(path("learner.log"));
  EXPECT_THAT(text, HasSubstr("go on with:  "));
  EXPECT_THAT(text, HasSubstr("stopping with a checkpoint"));
  EXPECT_THAT(text, Not(HasSubstr("when this iteration is finished")));
}

TEST_F(ManyCommand, ActorsEndWithTheRun) {
  write_config("concurrent", 2);
  const auto playing = actor("one");
  const auto learning = learner(false);
  EXPECT_EQ(learning->wait_for_end(), 0) << said();
  EXPECT_EQ(playing->wait_for_end(), 0) << said();
}

TEST_F(ManyCommand, TheStoreShowsTheRunAndItsActors) {
  Ran shown = run("store " + server_->url());
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr("no run: start one with quartozero train"));
  write_config("concurrent", 100'000);
  const auto learning = learner(false);
  const auto playing = actor("rack-7");
  EXPECT_TRUE(eventually(
      [&] {
        shown = run("store " + server_->url());
        return shown.out.find("rack-7") != std::string::npos && shown.out.find(" 0 received") == std::string::npos;
      },
      kLongest))
      << said();
  EXPECT_THAT(shown.out, HasSubstr("running"));
  const Ran json = run("store " + server_->url() + " --json");
  EXPECT_EQ(nlohmann::json::parse(json.out)["phase"], "running");
  // Another run in the same database is refused; after the first was removed on purpose it is not.
  const Ran other =
      run("train " + path("tiny.yaml") + " --out " + path("other") + " --store " + server_->url() + " --quiet");
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, HasSubstr("the database holds another run or job that has not finished"));
  EXPECT_THAT(run("store " + server_->url() + " --clear").out, HasSubstr("removed run"));
}

TEST_F(ManyCommand, PasswordsAreNowhereToBeSeen) {
  RedisServer closed({"--requirepass", "top-secret"});
  const std::string at = "@127.0.0.1:" + std::to_string(closed.port()) + "/0";
  Process waiting({"actor", "--store", "redis://default:top-secret" + at}, path("actors.log"));
  std::string line;
  // The program hides it first of all; until then the arguments are those of this test.
  eventually(
      [&] {
        std::ifstream in("/proc/" + std::to_string(waiting.pid()) + "/cmdline");
        std::getline(in, line, '\n');
        return line.find("***") != std::string::npos;
      },
      kLongest);
  EXPECT_THAT(line, HasSubstr("redis://default:***@127.0.0.1"));
  EXPECT_THAT(line, Not(HasSubstr("secret")));
  EXPECT_TRUE(wait_for_text("actors.log", "waiting for a learner"));
  EXPECT_THAT(read_file(path("actors.log")), HasSubstr("no run in redis://127.0.0.1:"));
  EXPECT_THAT(read_file(path("actors.log")), Not(HasSubstr("secret")));

  write_config("concurrent", 1);
  const std::vector<std::string> commands = {
      "actor --store redis://u:top-secret" + at, "actor redis://u:top-secret" + at,
      "store redis://u:top-secret" + at + " --unknown", "store redis://u:top-secret@127.0.0.1:1",
      "train " + path("tiny.yaml") + " --out " + path("run") + " --store redis://u:top-secret" + at};
  for (const std::string& command : commands) {
    const Ran ran = run(command);
    EXPECT_NE(ran.status, 0) << command;
    EXPECT_NE(ran.err, "");
    EXPECT_THAT(ran.out + ran.err, Not(HasSubstr("secret")));
  }
  for (const auto& [name, bytes] : files_of(path("run"))) EXPECT_THAT(bytes, Not(HasSubstr("secret"))) << name;
}

TEST_F(ManyCommand, AWrongAddressIsExplained) {
  EXPECT_EQ(run("actor").status, 2);
  fails(1, "actor --store http://here", HasSubstr("it must begin with redis:// or rediss://"));
  fails(1, "store redis://127.0.0.1:1", HasSubstr("cannot connect to redis://127.0.0.1:1/0: Connection refused"));
}

}  // namespace
}  // namespace quarto
