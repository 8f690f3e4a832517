#include <gmock/gmock.h>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using StudyCommand = CommandTest;

TEST_F(StudyCommand, PrintsASummaryAndWritesJsonAndPage) {
  const Ran ran = run("study uniform --sims 0,4 --limit 3 --random 2 --hardest 4 --pictures 1 --json " +
                      path("study.json") + " --html " + path("s.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const char* text : {"Values: what can a rule explain?", "random play", "pure parity", "outcome head",
                           "fewest safe", "Where it errs", "Calibration", "The opening",
                           "one piece down, on a diagonal", "The hardest positions", "  keeps"}) {
    EXPECT_THAT(ran.out, HasSubstr(text));
  }
  const json figures = json::parse(read_file(path("study.json")));
  EXPECT_EQ(figures.at("checkpoint"), "uniform");
  EXPECT_EQ(figures.at("sims"), json({0, 4}));
  EXPECT_EQ(figures.at("sets").size(), 4U);
  EXPECT_EQ(figures.at("sets").back().at("positions"), 2 * 20);
  EXPECT_EQ(figures.at("hardest").size(), 4U);
  EXPECT_THAT(read_file(path("s.html")), HasSubstr("</html>"));
  // The report takes it from beside the evaluation.
  make_directories(path("run"));
  write_file_atomic(path("run/metrics.jsonl"), "{\"step\": 1, \"loss\": 2.0}\n");
  ASSERT_EQ(run("eval uniform --sims 0 --limit 3 --json " + path("eval.json")).status, 0);
  ASSERT_EQ(run("report " + path("run") + " --eval " + path("eval.json") + " --out " + path("r.html")).status, 0);
  EXPECT_THAT(read_file(path("r.html")), HasSubstr("The hardest positions"));
}

TEST_F(StudyCommand, FollowsTheRulesOfTheNetwork) {
  const std::string study =
      "study " QUARTOZERO_CHECKPOINTS "/squares --sims 0 --limit 1 --random 0 --hardest 1 --pictures 0";
  const Ran ran = run(study + " --json " + path("s.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(json::parse(read_file(path("s.json"))).at("rules"), "squares");
  fails(1, study + " --rules lines", HasSubstr("use --rules squares"));
}

TEST_F(StudyCommand, ReadsTheSuitesNamedAndTheSeedDecidesTheRest) {
  write_file_atomic(path("one.tsv"), "..../5C../9.E./...0 -\t0\t1:0 2:-1 3:0 4:-1 6:-1 7:0 8:-1 A:-1 B:0 D:0 F:0\n");
  const auto figures = [&](const std::string& more) {
    says("study uniform --sims 0 --suite " + path("one.tsv") + " --json " + path("s.json") + " " + more,
         HasSubstr("one: 1 positions"));
    json all = json::parse(read_file(path("s.json")));
    all.erase("seed");
    return all;
  };
  const json bare = figures("--random 0");
  EXPECT_EQ(bare.at("sets").size(), 1U);
  ASSERT_EQ(bare.at("hardest").size(), 1U);
  EXPECT_EQ(bare.at("hardest")[0].at("position"), "..../5C../9.E./...0 -");
  EXPECT_NEAR(bare.at("hardest")[0].at("kept").get<double>(), 6. / 11, 1e-6);
  const json first = figures("--random 3 --seed 1");
  EXPECT_EQ(first, figures("--random 3 --seed 1"));
  EXPECT_NE(first, figures("--random 3 --seed 2"));
}

TEST_F(StudyCommand, TheSearchCanBeChanged) {
  const auto wrong = [&](const std::string& more) {
    says("study uniform --sims 0,32 --limit 20 --random 0 --hardest 1 --json " + path("s.json") + " --html " +
             path("s.html") + more,
         testing::_);
    const json figures = json::parse(read_file(path("s.json")));
    double errors = 0;
    for (const json& row : figures.at("error_types")) {
      if (row.at("sims") != 32) continue;
      for (const char* kind : {"win_to_draw", "win_to_loss", "draw_to_loss"}) errors += row.at(kind).get<double>();
    }
    return errors;
  };
  const double usual = wrong("");
  EXPECT_THAT(read_file(path("s.html")), Not(HasSubstr("proof_nodes")));
  EXPECT_LT(usual, wrong(" --search proof_nodes=0"));
  EXPECT_EQ(json::parse(read_file(path("s.json"))).at("search"), json({"proof_nodes=0"}));
  EXPECT_THAT(read_file(path("s.html")), HasSubstr("proof_nodes=0"));
  fails(1, "study uniform --search proof_node=0", HasSubstr("proof_nodes"));
  EXPECT_EQ(run("study uniform --search oracle_squares=5").status, 1);
}

TEST_F(StudyCommand, WrongCommandLinesExitWithTwo) {
  for (const char* arguments :
       {"study", "study uniform --sims few", "study uniform --hardest -1", "study uniform --random -1",
        "study uniform --rules chess", "study uniform --what", "study uniform --suite a.tsv a.tsv"}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_FALSE(ran.err.empty()) << arguments;
  }
}

TEST_F(StudyCommand, FailuresExitWithOneAndSayWhatToDo) {
  fails(1, "study " + path("nowhere"), HasSubstr("nowhere"));
  says("study uniform --rules squares --limit 1 --random 0 --sims 0 --book none", testing::_);
  fails(1, "study uniform --json " + path("none/s.json"), HasSubstr("none': No such file"));
  const Ran no_study = run("report " + dir_.string() + " --study " + path("none.json"));
  EXPECT_EQ(no_study.status, 1);
}

}  // namespace
}  // namespace quarto
