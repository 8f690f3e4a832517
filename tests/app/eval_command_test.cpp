#include <gmock/gmock.h>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using EvalCommand = CommandTest;

TEST_F(EvalCommand, PrintsTheTableAndWritesTheJson) {
  const Ran ran = run("eval uniform --sims 0,4 --limit 5 --json " + path("e.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const char* text : {"Suite decisive: 3000 positions, 3000 decisive (0 passed over", "one-ply", "alone@4",
                           "policy", "mean, 7 to 13", "Outcome head"}) {
    EXPECT_THAT(ran.out, HasSubstr(text));
  }
  const json figures = json::parse(read_file(path("e.json")));
  EXPECT_EQ(figures.at("rows").size(), 2U * (20 + 17));
  EXPECT_EQ(figures.at("means").size(), 4U);
  for (const auto& row : figures.at("rows")) {
    EXPECT_GE(row.at("agreement").get<double>(), 0);
    EXPECT_LE(row.at("agreement").get<double>(), 1);
    EXPECT_TRUE(row.at("suite") == "decisive" || row.at("suite") == "deep");
  }
}

TEST_F(EvalCommand, EachRuleSetHasSuitesOfItsOwn) {
  says("eval uniform --rules squares --sims 0 --limit 2", HasSubstr("Suite deep: 2132 positions, 2132 decisive"));
  // A network brings its rules; --rules may not change them.
  const std::string squares = QUARTOZERO_CHECKPOINTS "/squares";
  EXPECT_THAT(run("eval " + squares + " --sims 0 --limit 2").out, HasSubstr("Suite deep: 2132 positions"));
  EXPECT_EQ(run("eval " + squares + " --rules squares --sims 0 --limit 2").status, 0);
  fails(1, "eval " + squares + " --rules lines --sims 0 --limit 2", HasSubstr("use --rules squares"));
}

TEST_F(EvalCommand, ANumberOfSimulationsIsNamedOnce) {
  fails(2, "eval uniform --sims 0,4,0", HasSubstr("--simulations: 0 is named twice"));
}

TEST_F(EvalCommand, ThePathOfAPlayerIsNamed) {
  const Ran ran = run("eval net:runs/a/best@32 --sims 0");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("measures the policy and searches of --simulations: runs/a/best"));
}

TEST_F(EvalCommand, PositionsThatDoNotMatterArePassedOverAndCounted) {
  const std::string all = std::string(QUARTOZERO_SOURCE_DIR) + "/eval/suites/all.tsv";
  says("eval uniform --sims 0 --suite " + all,
       testing::AllOf(HasSubstr("Suite all: 902 positions"), testing::Not(HasSubstr("(0 passed over"))));
}

TEST_F(EvalCommand, MeasuresTheSearchAsItIsSet) {
  const auto mean = [&](const std::string& search) {
    says("eval uniform --sims 8 --no-baselines --limit 10 " + search + " --json " + path("e.json"), testing::_);
    return json::parse(read_file(path("e.json"))).at("means").dump();
  };
  EXPECT_EQ(mean(""), mean("--search root=puct"));
  EXPECT_NE(mean(""), mean("--search root=gumbel --search gumbel_considered=4"));
  EXPECT_THAT(run("eval uniform --search rot=gumbel").err, HasSubstr("did you mean 'root'?"));
  fails(1, "eval uniform --search oracle_squares=6", HasSubstr("without an oracle"));
}

TEST_F(EvalCommand, ReadsTheSuitesNamed) {
  write_file_atomic(path("one.tsv"), "..../5C../9.E./...0 -\t0\t1:0 2:-1 3:0 4:-1 6:-1 7:0 8:-1 A:-1 B:0 D:0 F:0\n");
  const Ran ran = run("eval uniform --sims 0 --suite " + path("one.tsv") + " --json " + path("e.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json figures = json::parse(read_file(path("e.json")));
  ASSERT_EQ(figures.at("rows").size(), 1U);
  EXPECT_EQ(figures.at("rows")[0].at("suite"), "one");
  EXPECT_EQ(figures.at("rows")[0].at("phase"), "give");
  EXPECT_EQ(figures.at("rows")[0].at("pieces"), 5);
  EXPECT_EQ(figures.at("rows")[0].at("agreement"), 1.0);  // 1 comes first among equals
}

TEST_F(EvalCommand, MeasuresOtherPlayersBeside) {
  const Ran ran =
      run("eval uniform --sims 0 --limit 5 --no-baselines --beside lookahead:4 strangler:100,exact=0 --json " +
          path("e.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("strangler:100,exact=0"));
  const json means = json::parse(read_file(path("e.json"))).at("baseline_means");
  ASSERT_EQ(means.size(), 4U);
  EXPECT_EQ(means[0].at("player"), "lookahead:4");
  EXPECT_EQ(means[3].at("suite"), "deep");
  EXPECT_GT(means[3].at("agreement").get<double>(), means[2].at("agreement").get<double>());
}

TEST_F(EvalCommand, LevelsArePlayers) {
  const std::string how = " --sims 0 --limit 5 --no-baselines --threads 1 --json ";
  const Ran ran = run("eval casual --beside careless:50:careful" + how + path("e.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("casual is the player lookahead:2\n"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("lookahead:2"), HasSubstr("careless:50:oneply"), Not(HasSubstr("policy"))));
  const json figures = json::parse(read_file(path("e.json")));
  EXPECT_EQ(figures.at("means").at(0).at("player"), "lookahead:2");
  EXPECT_EQ(figures.at("baseline_means").at(0).at("player"), "careless:50:oneply");
  // By the rules of the measurement, which are the network's.
  ASSERT_EQ(run("eval " QUARTOZERO_CHECKPOINTS "/squares --beside strong" + how + path("s.json")).status, 0);
  const json of_squares = json::parse(read_file(path("s.json")));
  EXPECT_EQ(of_squares.at("baseline_means").at(0).at("player"), "light:checkpoints/squares/model.light");
  EXPECT_EQ(of_squares.at("baseline_means").at(0).at("agreement"), of_squares.at("means").at(0).at("agreement"));
}

TEST_F(EvalCommand, APlayerThatIsOfTheFloorIsMeasuredAsAPlayer) {
  const std::string how = " --sims 0 --limit 3 --threads 1 --json " + path("e.json");
  says("eval careful" + how,
       AllOf(HasSubstr("  oneply  "), testing::ContainsRegex("mean, all rows +[0-9.]+ \\["), HasSubstr("one-ply")));
  const json figures = json::parse(read_file(path("e.json")));
  EXPECT_TRUE(figures.at("means").at(0).at("sims").is_null());
  fails(2, "eval uniform --beside careful" + how, HasSubstr("'oneply' is measured without being named"));
  says("eval uniform --beside careful --no-baselines" + how, testing::ContainsRegex("mean, all rows.*\\[.*\\["));
}

TEST_F(EvalCommand, APlayerMayBeNamedInsteadOfACheckpoint) {
  says("eval endgame:9:lookahead:2 --no-baselines --sims 0 --limit 2", HasSubstr("endgame:9:lookahead:2"));
  fails(1, "eval endgame:9:lookahed:2", HasSubstr("endgame:9:lookahed:2"));
}

TEST_F(EvalCommand, BothWordsForSimulationsAreTaken) {
  const std::string how = " 3 --limit 2 --no-baselines --json ";
  ASSERT_EQ(run("eval uniform --sims" + how + path("a.json")).status, 0);
  ASSERT_EQ(run("eval uniform --simulations" + how + path("b.json")).status, 0);
  EXPECT_EQ(read_file(path("a.json")), read_file(path("b.json")));
}

TEST_F(EvalCommand, WrongCommandLinesExitWithTwo) {
  for (const char* arguments : {"eval", "eval uniform --sims few", "eval uniform --sims -1", "eval uniform --limit x",
                                "eval uniform --rules chess", "eval uniform --beside onepyl", "eval uniform --nonsense",
                                "eval uniform --beside oneply", "eval uniform --beside lookahead:2 lookahead:2",
                                "eval uniform --suite " QUARTOZERO_SOURCE_DIR
                                "/eval/suites/deep.tsv " QUARTOZERO_SOURCE_DIR "/eval/suites/deep.tsv"}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_FALSE(ran.err.empty()) << arguments;
  }
}

TEST_F(EvalCommand, FailuresExitWithOneAndNameTheFile) {
  fails(1, "eval " + path("nowhere"), HasSubstr("nowhere"));
  fails(1, "eval uniform --suite " + path("missing.tsv"), HasSubstr("missing.tsv"));
  write_file_atomic(path("bad.tsv"), "..../5C../9.E./...0 -\t0\t1:0 2:-7\n");
  const Ran bad = run("eval uniform --suite " + path("bad.tsv"));
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.tsv:1"));
}

}  // namespace
}  // namespace quarto
