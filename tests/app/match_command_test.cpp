#include <gmock/gmock.h>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using MatchCommand = CommandTest;

TEST_F(MatchCommand, StatesTheResultAndWritesTheGames) {
  const Ran ran =
      run("match oneply random --games 20 --seed 3 --json " + path("m.json") + " --out-games " + path("g.txt"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Elo difference"));
  const json result = json::parse(read_file(path("m.json")));
  EXPECT_EQ(result.at("wins").get<int>() + result.at("draws").get<int>() + result.at("losses").get<int>(), 20);
  EXPECT_EQ(result.at("opening_plies"), 4);
  EXPECT_GT(result.at("score").get<double>(), 0.8);
  const std::string games = read_file(path("g.txt"));
  EXPECT_EQ(std::count(games.begin(), games.end(), '\n'), 21);
}

TEST_F(MatchCommand, TheSameSeedPlaysTheSameGames) {
  const std::string arguments = "match rollout:20 oneply --games 10 --threads 1 --out-games ";
  ASSERT_EQ(run(arguments + path("a") + " --seed 5").status, 0);
  ASSERT_EQ(run(arguments + path("b") + " --seed 5").status, 0);
  ASSERT_EQ(run(arguments + path("c") + " --seed 6").status, 0);
  EXPECT_EQ(read_file(path("a")), read_file(path("b")));
  EXPECT_NE(read_file(path("a")), read_file(path("c")));
}

TEST_F(MatchCommand, PerfectPlaysToo) {
  const Ran ran = run("match perfect random --games 4 --opening-plies 12 --table-mb 16");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("perfect against random: 4 games"));
}

// Under these rules; a level that they do not have is an error of the command line.
TEST_F(MatchCommand, LevelsArePlayers) {
  const Ran ran = run("match casual endgame:4:careful --games 2 --json " + path("m.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("lookahead:2 against endgame:4:oneply"));
  EXPECT_THAT(ran.err, HasSubstr("endgame:4:careful is the player endgame:4:oneply\n"));
  const Ran same = run("match lookahead:2 endgame:4:oneply --games 2 --json " + path("same.json"));
  EXPECT_EQ(same.out, ran.out);
  EXPECT_EQ(read_file(path("same.json")), read_file(path("m.json")));
  says("rate casual careful --games 2 --anchor careful", HasSubstr("Elo 0 is oneply"));
}

TEST_F(MatchCommand, UnknownPlayersAreErrorsOfTheCommandLine) {
  const Ran ran = run("match onepyl random");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'oneply'"));
  EXPECT_THAT(ran.err,
              HasSubstr("random, oneply, lookahead:N, rollout:N, uniform@N[:K], strangler[:NODES], net:PATH[@N[:K]]"));
  EXPECT_EQ(run("match random").status, 2);
  EXPECT_EQ(run("match random random --games 0").status, 2);
  EXPECT_EQ(run("match random random --opening-plies 99").status, 2);
}

TEST_F(MatchCommand, TwoOptionsDoNotWriteOneFile) {
  const Ran ran = run("match random random --games 2 --json " + path("x") + " --out-games " + path("./x"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("--json and --out-games both name"));
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

TEST_F(MatchCommand, AMissingNetworkIsAFailure) {
  const Ran ran = run("match net:" + path("nowhere") + " random");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("nowhere"));
}

}  // namespace
}  // namespace quarto
