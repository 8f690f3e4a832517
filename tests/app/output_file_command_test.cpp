#include <gmock/gmock.h>

#include <filesystem>

#include "tests/app/run_quartozero.h"

// What the options that name a file or a directory to write may replace (app/output_file.h).
namespace quarto {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFileCommand : public CommandTest {
 protected:
  // The command fails, says `why`, and what is in the file stays.
  void expect_refused(const std::string& arguments, const std::string& file, const std::string& why) {
    SCOPED_TRACE(arguments);
    const std::string before = read_file(path(file));
    fails(1, arguments, HasSubstr(why));
    EXPECT_EQ(read_file(path(file)), before);
  }
  // A copy of a shipped checkpoint that may be damaged.
  std::string checkpoint() {
    if (!fs::exists(path("net"))) fs::copy(QUARTOZERO_CHECKPOINTS "/small", path("net"));
    return path("net");
  }
};

TEST_F(OutputFileCommand, FilesOfRunsAndCheckpointsAreNotReplaced) {
  const std::string net = checkpoint(), weights = net + "/model.safetensors";
  const std::string lost = "which would be lost; name another file";
  expect_refused("eval " + net + " --sims 0 --limit 1 --json " + weights, "net/model.safetensors", lost);
  expect_refused("match random random --games 2 --json " + weights, "net/model.safetensors", lost);
  expect_refused("match random random --games 2 --out-games " + weights, "net/model.safetensors", lost);
  expect_refused("exploit uniform@1 --time-limit 1 --json " + weights, "net/model.safetensors", lost);
  expect_refused("study " + net + " --limit 1 --random 1 --html " + weights, "net/model.safetensors", lost);
  expect_refused("export " QUARTOZERO_CHECKPOINTS "/small --no-measure --light " + weights, "net/model.safetensors",
                 lost);
  expect_refused("export " + net + " --no-measure --light " + net + "/config.yaml", "net/config.yaml", lost);
  // JSON, as --json writes it, and yet a run's.
  write_file_atomic(path("metrics.jsonl"), "{\"iteration\": 1}\n");
  expect_refused("match random random --games 2 --json " + path("metrics.jsonl"), "metrics.jsonl", lost);
  expect_refused("report " + net + " --out " + path("metrics.jsonl"), "metrics.jsonl", lost);
}

TEST_F(OutputFileCommand, TheResultsOfARoundRobinAreNotReplaced) {
  ASSERT_EQ(run("rate random oneply --games 2 --out " + path("r.json")).status, 0);
  expect_refused("match random random --games 2 --json " + path("r.json"), "r.json", "holds the results of");
  EXPECT_EQ(run("rate random oneply --games 2 --resume --out " + path("r.json")).status, 0);
}

TEST_F(OutputFileCommand, AFileOfAnotherKindIsNotReplaced) {
  write_file_atomic(path("notes.md"), "# Notes\n");
  const std::string file = path("notes.md"), net = QUARTOZERO_CHECKPOINTS "/small";
  expect_refused("match random random --games 2 --json " + file, "notes.md", "exists and is not JSON");
  expect_refused("match random random --games 2 --out-games " + file, "notes.md",
                 "is not games that this option wrote");
  expect_refused("report " + net + " --out " + file, "notes.md", "is not a page (HTML)");
  expect_refused("explore --json " + file, "notes.md", "is not JSON");
  expect_refused("rate random oneply --games 2 --json " + file, "notes.md", "is not JSON");
  expect_refused("export " + net + " --no-measure --light " + file, "notes.md", "is not a light file");
  expect_refused("export " + net + " --no-measure --torchscript " + file, "notes.md", "is not a TorchScript file");
  expect_refused("export " + net + " --no-measure --c " + file, "notes.md", "is not a header that this option wrote");
  // Games that somebody has written down are not games that a match wrote.
  write_file_atomic(path("games.txt"), "0 a1 7 c2\n");
  expect_refused("match random random --games 2 --out-games " + path("games.txt"), "games.txt", "is not games");
  expect_refused("analyse " + path("games.txt") + " --json " + path("games.txt"), "games.txt", "is not JSON");
}

TEST_F(OutputFileCommand, WhatAnOptionWroteItReplaces) {
  const std::string net = QUARTOZERO_CHECKPOINTS "/small";
  for (const std::string& command :
       {"match random random --games 2 --seed 1 --json " + path("m.json") + " --out-games " + path("g.txt"),
        "analyse " + path("g.txt") + " --time-limit 1 --html " + path("a.html"),
        "export " + net + " --no-measure --no-check --light " + path("l.light") + " --torchscript " + path("t.pt") +
            " --c " + path("c.h")}) {
    SCOPED_TRACE(command);
    for (int time = 1; time <= 2; ++time) {
      says(command, testing::_);
    }
  }
  write_file_atomic(path("empty"), "");
  EXPECT_EQ(run("match random random --games 2 --json " + path("empty")).status, 0);
  EXPECT_EQ(run("match random random --games 2 --json /dev/null").status, 0);
  says("match random random --games 2 --json /dev/stdout --out-games /dev/null",
       AllOf(HasSubstr("\"a\": \"random\""), HasSubstr("Elo difference")));
}

TEST_F(OutputFileCommand, RunsAndWalksHaveDirectoriesOfTheirOwn) {
  const std::string
      folder = path("runs"),
      tiny = " --set limits.iterations=1 --set limits.games=2 --set limits.minutes=0 --set evaluation.every=0 --quiet";
  ASSERT_EQ(run("train " QUARTOZERO_SOURCE_DIR "/configs/demo.yaml --out " + folder + "/a" + tiny).status, 0);
  for (const std::string resume : {"", " --resume"}) {
    const Ran ran = run("train " QUARTOZERO_SOURCE_DIR "/configs/demo.yaml --out " + folder + tiny + resume);
    EXPECT_EQ(ran.status, 1);
    EXPECT_THAT(ran.err, HasSubstr("holds the folder 'a', which is no part of a run"));
    EXPECT_FALSE(fs::exists(path("runs/lock")));
  }
  for (const std::string& place : {folder, folder + "/a"}) {
    fails(1, "exploit uniform@1 --time-limit 1 --out " + place, HasSubstr("which is no part of a walk"));
  }
  const Ran sweep =
      run("sweep " QUARTOZERO_SOURCE_DIR "/configs/demo.yaml --seeds 1,2 --dry-run --out " + folder + "/a");
  EXPECT_EQ(sweep.status, 1);
  EXPECT_THAT(sweep.err, HasSubstr("holds a run"));
  EXPECT_EQ(run("train --out " + folder + "/a --resume").status, 0);
  // What is written beside a run's own files does not matter.
  fs::create_directory(path("fresh"));
  write_file_atomic(path("fresh/log.txt"), "begun\n");
  fs::create_directory(path("fresh/lost+found"));
  EXPECT_EQ(run("train " QUARTOZERO_SOURCE_DIR "/configs/demo.yaml --out " + path("fresh") + tiny).status, 0);
}

}  // namespace
}  // namespace quarto
