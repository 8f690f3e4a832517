#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/json_library.h"
#include "tests/app/process.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using RateCommand = CommandTest;

TEST_F(RateCommand, PrintsTheTablesAndWritesTheJson) {
  const Ran ran = run("rate random oneply lookahead:2 --games 20 --seed 3 --json " + path("r.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const char* text : {"95% interval", "anchor", "Points of the row", "3 players, 3 pairings of 20 games",
                           "Elo 0 is oneply", "from 10 openings, too few"}) {
    EXPECT_THAT(ran.out, HasSubstr(text));
  }
  const json figures = json::parse(read_file(path("r.json")));
  EXPECT_TRUE(figures.at("complete").get<bool>());
  EXPECT_EQ(figures.at("anchor"), "oneply");
  EXPECT_EQ(figures.at("games"), 20);
  ASSERT_EQ(figures.at("players").size(), 3U);
  double above = 1e9;
  for (const json& player : figures.at("players")) {
    EXPECT_LE(player.at("elo").get<double>(), above);
    above = player.at("elo");
    EXPECT_LE(player.at("low").get<double>(), above);
    EXPECT_GE(player.at("high").get<double>(), above);
    EXPECT_EQ(player.at("games"), 40);
  }
  EXPECT_EQ(figures.at("players")[0].at("name"), "oneply");
  EXPECT_EQ(figures.at("players")[2].at("name"), "random");
  ASSERT_EQ(figures.at("pairings").size(), 3U);
  for (const json& p : figures.at("pairings")) {
    EXPECT_EQ(p.at("wins").get<int>() + p.at("draws").get<int>() + p.at("losses").get<int>(), 20);
    EXPECT_LE(p.at("distinct_games").get<int>(), 20);
  }
}

TEST_F(RateCommand, MarkdownIsTwoTables) {
  const Ran ran = run("rate random oneply --games 4 --markdown --anchor mean");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("| 1 `oneply` | +"), HasSubstr("|---|---:|"), HasSubstr("| 2 `random` | "),
                             HasSubstr("Elo 0 is the mean"), Not(HasSubstr("-----"))));
}

TEST_F(RateCommand, GoesOnWhereItStopped) {
  const std::string arguments = "rate random oneply lookahead:2 --games 6 --out " + path("r.json");
  const Ran whole = run(arguments);
  ASSERT_EQ(whole.status, 0) << whole.err;
  json results = json::parse(read_file(path("r.json")));
  // As after an interruption: one pairing is there, and marked, so that it is seen to be kept.
  results.at("pairings").erase(1);
  results.at("pairings").erase(1);
  results.at("pairings")[0].at("seconds") = 12345;
  write_file_atomic(path("r.json"), results.dump());
  const Ran resumed = run(arguments + " --resume");
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(resumed.out, whole.out);
  EXPECT_EQ(json::parse(read_file(path("r.json"))).at("pairings")[0].at("seconds"), 12345);
}

TEST_F(RateCommand, ResultsOfOtherOptionsAreRefused) {
  const std::string arguments = "rate random oneply --games 6 --out " + path("r.json");
  ASSERT_EQ(run(arguments).status, 0);
  fails(1, arguments, HasSubstr("--resume goes on with it"));
  fails(1, "rate random lookahead:2 --games 8 --resume --out " + path("r.json"),
        AllOf(HasSubstr("r.json"), HasSubstr("--games is 6 there and 8 here"),
              HasSubstr("'oneply' plays there and not here")));
}

TEST_F(RateCommand, AnInterruptionKeepsWhatWasPlayed) {
  const std::string results = path("r.json"), out = path("out"), err = path("err");
  // The second pairing takes many minutes.
  Process process({"rate", "random", "oneply", "rollout:300000", "--threads", "1", "--out", results}, out, err);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(results); }, kLongest));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 1) << "it is not finished";
  EXPECT_THAT(read_file(err), AllOf(HasSubstr("stopped after 1 of 3 pairings"), HasSubstr("--resume goes on")));
  EXPECT_THAT(read_file(out), HasSubstr("2 players, 1 pairing of 100 games"));
  EXPECT_EQ(json::parse(read_file(results)).at("pairings").size(), 1U);
}

// As workers leave them, who end pairings in any order.
TEST_F(RateCommand, AnInterruptionBeforeGamesLinkAllPlayersSaysSoAndHowToGoOn) {
  ASSERT_EQ(run("rate random oneply --games 6 --out " + path("r.json")).status, 0);
  json results = json::parse(read_file(path("r.json")));
  json other = results.at("pairings")[0];
  // All that are left take many minutes.
  other["a"] = "rollout:300000";
  other["b"] = "rollout:300001";
  results.at("pairings").push_back(other);
  results["players"] = {"random", "oneply", other["a"], other["b"]};
  write_file_atomic(path("r.json"), results.dump());
  const std::vector<std::string> words = {
      "rate",      "random", "oneply", "rollout:300000", "rollout:300001", "--games", "6",
      "--threads", "1",      "--out",  path("r.json"),   "--resume",       "--json",  path("ratings.json")};
  std::optional<int> status;
  // A signal that comes before the program listens to it ends the program at once; then once more, and later.
  for (int tries = 1; status != 1 && tries <= 20; ++tries) {
    Process process(words, path("log"));
    std::this_thread::sleep_for(std::chrono::milliseconds(200 * tries));
    process.signal(SIGINT);
    status = process.wait_for_end();
  }
  EXPECT_EQ(status, 1);
  EXPECT_THAT(read_file(path("log")),
              AllOf(HasSubstr("there is no table, nor a file for --json, yet: no chain of games links 'random' with "
                              "'rollout:300000'"),
                    HasSubstr("stopped after 2 of 6 pairings"), HasSubstr("--resume goes on")));
  EXPECT_FALSE(std::filesystem::exists(path("ratings.json")));
}

TEST_F(RateCommand, WrongCommandLinesAreRefused) {
  for (const char* arguments :
       {"rate onepyl random", "rate random oneply --games 0", "rate random oneply --resume",
        "rate random oneply --opening-plies 99", "rate random oneply --sims 1,x", "rate random oneply --sims 8"}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_FALSE(ran.err.empty()) << arguments;
  }
  EXPECT_EQ(run("rate random oneply --out " + path("x") + " --json " + path("./x")).status, 2);
  fails(1, "rate oneply", HasSubstr("at least two players"));
  EXPECT_THAT(run("rate oneply random oneply").err, HasSubstr("'oneply' is named twice"));
  EXPECT_THAT(run("rate oneply random --anchor perfect").err, HasSubstr("--anchor 'perfect' is none of the players"));
  EXPECT_THAT(run("rate --net " + path("nowhere") + " --sims 0,8 oneply").err, HasSubstr("nowhere"));
}

TEST_F(RateCommand, HelpTeaches) {
  says("rate --help", AllOf(HasSubstr("Examples:"), HasSubstr("rollout:3000"), HasSubstr("--markdown")));
}

}  // namespace
}  // namespace quarto
