#include "watch/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "tests/watch/some_runs.h"
#include "train/run_directory.h"

namespace quarto::watch {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names(const std::vector<Run>& runs) {
  std::vector<std::string> names;
  for (const Run& run : runs) names.push_back(run.name);
  return names;
}

// What a look at the files, as they are now, says. (A `Runs` looks again after half a second only.)
Run only(const fs::path& folder) {
  const auto runs = Runs(folder).list();
  EXPECT_EQ(runs.size(), 1U);
  return runs.empty() ? Run() : runs.front();
}

TEST(Runs, AreFoundBelowAFolderAndNothingElseIs) {
  const TemporaryDirectory dir;
  make_run(dir / "night", 2);
  make_run(dir / "sweep/batch-64", 1);
  make_run(dir / "night/archive/iteration-000001", 1);  // a run's own folders are none
  make_run(dir / "a/b/c/d", 1);                         // too deep
  make_run(dir / ".hidden/x", 1);
  make_directories(dir / "empty");
  const TemporaryDirectory elsewhere;
  make_run(elsewhere / "secret", 1);
  fs::create_directory_symlink(elsewhere.path(), dir / "link");
  EXPECT_THAT(names(Runs(dir.path()).list()), ElementsAre("night", "sweep/batch-64"));
  EXPECT_THAT(names(Runs(dir / "night").list()), ElementsAre("night"));
  EXPECT_THAT(names(Runs(dir / "night/").list()), ElementsAre("night"));
  EXPECT_THAT(names(Runs(dir / "absent").list()), IsEmpty());
}

TEST(Runs, SayHowTheyGo) {
  const TemporaryDirectory dir;
  make_run(dir / "run", 3, 64);
  append_file(dir / "run/metrics.jsonl", R"({"iteration":4,"agreement":{"deep":0.7}})"
                                         "\n");
  append_file(dir / "run/metrics.jsonl", R"({"iteration":5})"
                                         "\n");
  watch::Run run = only(dir.path());
  EXPECT_EQ(run.state, RunState::stopped);
  EXPECT_EQ(run.last["iteration"], 5);
  EXPECT_EQ(run.agreement["deep"], 0.7);
  EXPECT_EQ(run.config["learner.batch"], "64");
  EXPECT_EQ(run.metrics_bytes, fs::file_size(dir / "run/metrics.jsonl"));
  EXPECT_GT(run.updated, 1'600'000'000);
  {
    const RunLock lock(dir / "run");
    EXPECT_EQ(only(dir.path()).state, RunState::running);
    // Looking takes no lock itself.
    EXPECT_THROW(RunLock(dir / "run"), RunError);
  }
  EXPECT_EQ(only(dir.path()).state, RunState::stopped);
  write_file_atomic(dir / "run/checkpoint/state.json", R"({"finished": true})");
  EXPECT_EQ(only(dir.path()).state, RunState::finished);
}

TEST(Runs, ThatAreDamagedSaySoAndLeaveTheOthersAlone) {
  const TemporaryDirectory dir;
  make_run(dir / "good", 1);
  make_run(dir / "settings", 1);
  write_file_atomic(dir / "settings/config.yaml", "learner: [");
  make_run(dir / "metrics", 1);
  append_file(dir / "metrics/metrics.jsonl", "{\"iteration\": 2, \"lo\n" + metrics_line(3));
  make_run(dir / "nested", 1);
  append_file(dir / "nested/metrics.jsonl", std::string(1000, '[') + "\n");
  std::map<std::string, watch::Run> runs;
  for (const watch::Run& run : Runs(dir.path()).list()) runs[run.name] = run;
  EXPECT_EQ(runs["good"].state, RunState::stopped);
  EXPECT_EQ(runs["settings"].state, RunState::damaged);
  EXPECT_THAT(runs["settings"].problem, HasSubstr("config.yaml"));
  EXPECT_EQ(runs["metrics"].state, RunState::damaged);
  EXPECT_THAT(runs["metrics"].problem, HasSubstr("1 of its last lines"));
  EXPECT_EQ(runs["metrics"].last["iteration"], 3);
  EXPECT_EQ(runs["nested"].state, RunState::damaged);
}

TEST(Runs, GiveTheirMetricsPieceByPiece) {
  const TemporaryDirectory dir;
  make_run(dir / "run", 2);
  Runs runs(dir.path());
  const MetricsPiece first = *runs.metrics("run", 0);
  EXPECT_EQ(first.lines.size(), 2U);
  EXPECT_FALSE(first.more);
  EXPECT_THAT(runs.metrics("run", first.next)->lines, IsEmpty());
  // A line that is being written is not there yet.
  append_file(dir / "run/metrics.jsonl", R"({"iteration":3)");
  EXPECT_THAT(runs.metrics("run", first.next)->lines, IsEmpty());
  append_file(dir / "run/metrics.jsonl", "}\n");
  const MetricsPiece second = *runs.metrics("run", first.next);
  ASSERT_EQ(second.lines.size(), 1U);
  EXPECT_EQ(second.lines[0]["iteration"], 3);
  // A resumed run cuts the file: a place that is no line's start any more means all of it.
  write_file_atomic(dir / "run/metrics.jsonl", metrics_line(1));
  EXPECT_EQ(runs.metrics("run", second.next)->from, 0U);
  EXPECT_EQ(runs.metrics("run", 5)->from, 0U);
  EXPECT_FALSE(runs.metrics("other", 0).has_value());
  EXPECT_FALSE(runs.metrics("../run", 0).has_value());
}

TEST(Runs, GiveLongMetricsInBoundedPieces) {
  const TemporaryDirectory dir;
  make_run(dir / "run", 0);
  std::string lines;
  int count = 0;
  while (lines.size() < 2 * Runs::kMostPieceBytes + 1000) lines += metrics_line(++count);
  write_file_atomic(dir / "run/metrics.jsonl", lines);
  Runs runs(dir.path());
  std::uint64_t from = 0;
  int seen = 0, pieces = 0;
  for (bool more = true; more; ++pieces) {
    const MetricsPiece piece = *runs.metrics("run", from);
    seen += static_cast<int>(piece.lines.size());
    EXPECT_GT(piece.next, from);
    from = piece.next;
    more = piece.more;
  }
  EXPECT_EQ(seen, count);
  EXPECT_EQ(pieces, 3);
  EXPECT_EQ(only(dir.path()).last["iteration"], count);
}

}  // namespace
}  // namespace quarto::watch
