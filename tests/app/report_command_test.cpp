#include <gmock/gmock.h>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using ReportCommand = CommandTest;

TEST_F(ReportCommand, WritesOnePageFromARunAndAnEvaluation) {
  make_directories(path("run"));
  write_file_atomic(path("run/metrics.jsonl"), "{\"step\": 1, \"loss\": 2.0}\n{\"step\": 2, \"loss\": 1.0}\n");
  ASSERT_EQ(run("eval uniform --sims 0 --limit 3 --json " + path("e.json")).status, 0);
  const Ran ran = run("report " + path("run") + " --eval " + path("e.json") + " --out " + path("r.html"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string html = read_file(path("r.html"));
  EXPECT_THAT(html, HasSubstr("<svg"));
  EXPECT_THAT(html, HasSubstr("Suite deep"));

  const std::string small = QUARTOZERO_CHECKPOINTS "/small";
  ASSERT_EQ(run("eval " + small + " --sims 0 --limit 1 --json " + path("d.json")).status, 0);
  const Ran own = run("report " + small + " --eval " + path("d.json") + " --out " + path("d.html"));
  ASSERT_EQ(own.status, 0) << own.err;
  EXPECT_THAT(own.err, testing::Not(HasSubstr("which is not in")));
  const Ran other = run("report " + path("run") + " --eval " + path("d.json") + " --out " + path("o.html"));
  EXPECT_THAT(other.err, HasSubstr("/small', which is not in '" + path("run")));
}

// The same ladder, whichever of its two files rate has written it to.
TEST_F(ReportCommand, DrawsTheLadderThatRateKeepsAndTheOneThatItWritesAsJson) {
  make_directories(path("run"));
  write_file_atomic(path("run/metrics.jsonl"), "{\"step\": 1, \"loss\": 2.0}\n");
  ASSERT_EQ(
      run("rate random oneply lookahead:2 --games 4 --out " + path("l.json") + " --json " + path("r.json")).status, 0);
  for (const char* file : {"l", "r"}) {
    const Ran ran = run("report " + path("run") + " --ladder " + path(file) + ".json --out " + path(file) + ".html");
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  EXPECT_THAT(read_file(path("l.html")), HasSubstr("lookahead:2"));
  EXPECT_EQ(read_file(path("l.html")), read_file(path("r.html")));
  // Where games do not link all players yet, the page is without it.
  nlohmann::json results = nlohmann::json::parse(read_file(path("l.json"))), other = results["pairings"][0];
  other["a"] = "lookahead:1";
  other["b"] = "lookahead:2";
  results["players"].push_back("lookahead:1");
  results["pairings"] = {results["pairings"][0], other};
  write_file_atomic(path("l.json"), results.dump());
  const Ran apart = run("report " + path("run") + " --ladder " + path("l.json") + " --out " + path("b.html"));
  EXPECT_EQ(apart.status, 0);
  EXPECT_THAT(apart.err, HasSubstr("l.json: there is no table yet: no chain of games links"));
  EXPECT_THAT(read_file(path("b.html")), testing::Not(HasSubstr("lookahead:2")));
  write_file_atomic(path("l.json"), "{\"format\": \"quarto-round-robin/1\"}");
  fails(1, "report " + path("run") + " --ladder " + path("l.json") + " --out " + path("b.html"),
        testing::AllOf(HasSubstr("l.json: no results of a round robin"), testing::Not(HasSubstr("json.exception"))));
}

TEST_F(ReportCommand, OfSeveralRunsNamesTheDashboard) {
  fails(2, "report " + path("a") + " " + path("b") + " --out " + path("c.html"),
        HasSubstr("quartozero serve --runs DIR"));
  EXPECT_FALSE(std::filesystem::exists(path("c.html")));
}

TEST_F(ReportCommand, SaysThatNoIterationHasFinished) {
  make_directories(path("run/checkpoint"));
  write_file_atomic(path("run/config.yaml"), "limits: {iterations: 2}\n");
  fails(1, "report " + path("run") + " --out " + path("r.html"),
        HasSubstr("no iteration of this run has finished yet"));
}

TEST_F(ReportCommand, MeasuresEverythingOfACheckpointInOneCommand) {
  const std::string out = path("all.html");
  const Ran ran = run("report " QUARTOZERO_CHECKPOINTS
                      "/small --measure --limit 20 --games 2 --exploit-seconds 0.5 --threads 2 --out " +
                      out);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string html = read_file(out);
  for (const char* text : {"Suite deep", "Exploitability", "The ladder", "The hardest positions"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  const nlohmann::json eval = nlohmann::json::parse(read_file(path("all.figures/eval.json")));
  const nlohmann::json study = nlohmann::json::parse(read_file(path("all.figures/study.json")));
  EXPECT_EQ(eval.at("limit"), 20);
  EXPECT_EQ(study.at("limit"), 20);
  EXPECT_EQ(study.at("random"), 20);
}

TEST_F(ReportCommand, ACheckpointMayBeNamedByItsWeights) {
  const std::string net = QUARTOZERO_CHECKPOINTS "/small";
  ASSERT_EQ(run("eval " + net + " --sims 0 --limit 5 --json " + path("e.json")).status, 0);
  const auto page = [&](const std::string& named) {
    says("report " + named + " --eval " + path("e.json") + " --out " + path("r.html"), testing::_);
    return read_file(path("r.html"));
  };
  EXPECT_EQ(page(net + "/model.safetensors"), page(net));
}

TEST_F(ReportCommand, SaysWhatIsMissingBeforeItMeasures) {
  fails(1, "report " + path("nowhere") + " --measure --out " + path("r.html"), HasSubstr("nor a checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(path("r.figures")));
}

TEST_F(ReportCommand, SaysWhatIsMissing) {
  fails(1, "report " + path("nowhere") + " --out " + path("r.html"), HasSubstr("nowhere"));
  EXPECT_FALSE(std::filesystem::exists(path("r.html")));
  EXPECT_EQ(run("report").status, 2);
}

}  // namespace
}  // namespace quarto
