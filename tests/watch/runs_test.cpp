#include "watch/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>
#include <thread>

#include "base/directory_lock.h"
#include "tests/support/temporary_directory.h"
#include "tests/watch/some_runs.h"
#include "train/run_directory.h"

namespace quarto::watch {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names(const RunList& runs) {
  std::vector<std::string> names;
  for (const Run& run : *runs) names.push_back(run.name);
  return names;
}

// What a look at the files, as they are now, says. (A `Runs` looks again after half a second only.)
Run only(const fs::path& folder) {
  const RunList runs = Runs(folder).list();
  EXPECT_EQ(runs->size(), 1U);
  return runs->empty() ? Run() : runs->front();
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
    const DirectoryLock lock(dir / "run");
    EXPECT_EQ(only(dir.path()).state, RunState::running);
    // Looking takes no lock itself.
    EXPECT_THROW(DirectoryLock(dir / "run"), FileError);
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
  const RunList list = Runs(dir.path()).list();
  for (const watch::Run& run : *list) runs[run.name] = run;
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
  EXPECT_EQ(nlohmann::json::parse(second.lines[0])["iteration"], 3);
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

TEST(Runs, PassOverALineThatIsTooLongOnceItHasAnEnd) {
  const TemporaryDirectory dir;
  make_run(dir / "run", 1);
  const std::uint64_t first = std::filesystem::file_size(dir / "run/metrics.jsonl");
  append_file(dir / "run/metrics.jsonl", std::string(2 * Runs::kMostPieceBytes, ' '));
  Runs runs(dir.path());
  EXPECT_EQ(runs.metrics("run", first)->next, first);
  EXPECT_FALSE(runs.metrics("run", first)->more);
  append_file(dir / "run/metrics.jsonl", "\n" + metrics_line(2));
  const MetricsPiece passed = *runs.metrics("run", first);
  EXPECT_EQ(passed.damaged, 1U);
  const MetricsPiece rest = *runs.metrics("run", passed.next);
  ASSERT_EQ(rest.lines.size(), 1U);
  EXPECT_EQ(rest.next, std::filesystem::file_size(dir / "run/metrics.jsonl"));
}

// A file of any length without a line costs a bounded time.
TEST(Runs, WhatHasNoLinesIsNotReadToItsEnd) {
  const TemporaryDirectory dir;
  make_run(dir / "run", 1);
  const std::uint64_t first = std::filesystem::file_size(dir / "run/metrics.jsonl");
  std::filesystem::resize_file(dir / "run/metrics.jsonl", 32 << 20);  // a hole
  append_file(dir / "run/metrics.jsonl", "\n");
  Runs runs(dir.path());
  const MetricsPiece piece = *runs.metrics("run", first);
  EXPECT_TRUE(piece.lines.empty());
  EXPECT_FALSE(piece.more);
  EXPECT_EQ(piece.next, first) << "the end of the line is beyond what is read";
}

// Whatever lies where a run's files should be: a link leads nowhere, a pipe holds nobody up.
TEST(Runs, ReadRegularFilesOnly) {
  const TemporaryDirectory dir, elsewhere;
  write_file_atomic(elsewhere / "secret.jsonl", metrics_line(7));
  make_run(dir / "link", 0);
  fs::remove(dir / "link/metrics.jsonl");
  fs::create_symlink(elsewhere / "secret.jsonl", dir / "link/metrics.jsonl");
  make_run(dir / "pipe", 0);
  fs::remove(dir / "pipe/metrics.jsonl");
  fs::remove(dir / "pipe/config.yaml");
  ASSERT_EQ(::mkfifo((dir / "pipe/metrics.jsonl").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo((dir / "pipe/config.yaml").c_str(), 0600), 0);
  make_run(dir / "large", 1);
  write_file_atomic(dir / "large/config.yaml", std::string(2 << 20, '#'));
  make_run(dir / "weights", 1);
  make_directories(elsewhere / "best");
  write_file_atomic(elsewhere / "best/model.safetensors", "x");
  fs::create_directory_symlink(elsewhere / "best", dir / "weights/best");
  make_run(dir / "file", 1);
  make_directories(dir / "file/best");
  fs::create_symlink(elsewhere / "best/model.safetensors", dir / "file/best/model.safetensors");
  make_run(dir / "state", 1);
  make_directories(elsewhere / "checkpoint");
  write_file_atomic(elsewhere / "checkpoint/state.json", R"({"finished": true})");
  fs::remove_all(dir / "state/checkpoint");
  fs::create_directory_symlink(elsewhere / "checkpoint", dir / "state/checkpoint");
  for (const char* run : {"list", "listpipe"}) {
    make_run(dir / run, 1);
    make_directories(dir / run / "best");
    write_file_atomic(dir / run / "best/model.safetensors", "x");
  }
  write_file_atomic(elsewhere / "checksums.txt", "x");
  fs::create_symlink(elsewhere / "checksums.txt", dir / "list/best/checksums.txt");
  ASSERT_EQ(::mkfifo((dir / "listpipe/best/checksums.txt").c_str(), 0600), 0);
  Runs runs(dir.path());
  const RunList list = runs.list();
  ASSERT_EQ(list->size(), 8U);
  const std::set<std::string> sound = {"weights", "file", "state", "list",
                                       "listpipe"};  // but for a link, which is passed over
  for (const watch::Run& run : *list) {
    EXPECT_EQ(run.state, sound.contains(run.name) ? RunState::stopped : RunState::damaged) << run.name;
    EXPECT_FALSE(run.playable) << run.name;
    EXPECT_FALSE(watch::best_weights(dir / run.name)) << run.name;
    EXPECT_TRUE(run.name == "large" || sound.contains(run.name) || run.last.is_null()) << run.name;
  }
  EXPECT_THROW(runs.metrics("link", 0), FileError);
  EXPECT_THROW(runs.metrics("pipe", 0), FileError);
}

// The same list as long as nothing changes: streams compare it five times a second.
TEST(Runs, AreTheSameListUntilSomethingChanges) {
  const TemporaryDirectory dir;
  make_run(dir / "run", 1);
  Runs runs(dir.path());
  const RunList before = runs.list();
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // it looks at the files again after half a second
  EXPECT_EQ(runs.list(), before);
  append_file(dir / "run/metrics.jsonl", metrics_line(2));
  RunList after = before;
  for (int i = 0; i < 60'000 && after == before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    after = runs.list();
  }
  EXPECT_EQ(after->front().last["iteration"], 2);
}

}  // namespace
}  // namespace quarto::watch
