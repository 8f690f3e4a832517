#include <gmock/gmock.h>

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
}

TEST_F(ReportCommand, MeasuresEverythingOfACheckpointInOneCommand) {
  const std::string out = path("all.html");
  const Ran ran =
      run("report " QUARTOZERO_CHECKPOINTS "/demo --measure --games 2 --exploit-seconds 0.5 --threads 2 --out " + out);
  ASSERT_EQ(ran.status, 0) << ran.err;
  const std::string html = read_file(out);
  for (const char* text : {"Suite deep", "Exploitability", "The ladder", "The hardest positions"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  EXPECT_TRUE(std::filesystem::exists(path("all.figures/eval.json")));
}

TEST_F(ReportCommand, SaysWhatIsMissing) {
  const Ran ran = run("report " + path("nowhere") + " --out " + path("r.html"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("nowhere"));
  EXPECT_FALSE(std::filesystem::exists(path("r.html")));
  EXPECT_EQ(run("report").status, 2);
}

}  // namespace
}  // namespace quarto
