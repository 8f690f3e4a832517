// quartozero export, engine, and light files wherever a network may stand.
#include <gmock/gmock.h>

#include "base/file.h"
#include "base/manifest.h"
#include "light/network_file.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ExportCommand : public CommandTest {
 protected:
  const std::string small = QUARTOZERO_CHECKPOINTS "/small";
  const std::string small_light = QUARTOZERO_CHECKPOINTS "/small/model.light";
};

TEST_F(ExportCommand, WritesTheLightFormatAndTorchScript) {
  says("export " + small + " --light " + path("a.light") + " --torchscript " + path("a.pt"),
       testing::AllOf(HasSubstr("agreement with exact play, without search: decisive 93.8%, deep 88.1%"),
                      HasSubstr("TorchScript")));
  const auto network = light::load_network_file(path("a.light"));
  EXPECT_EQ(network.info.extra.at("agreement_decisive"), "93.9");
  EXPECT_EQ(network.info.extra.at("agreement_deep"), "88.1");
}

TEST_F(ExportCommand, WhatItWroteIsNamedWhereACheckpointIsExpected) {
  const std::string wrote = " --light " + path("a.light") + " --torchscript " + path("a.pt");
  ASSERT_EQ(run("export " + small + " --no-measure" + wrote).status, 0);
  const std::string instead = "give the checkpoint that it was exported from";
  for (const char* command : {"eval ", "study ", "match random net:"}) {
    EXPECT_THAT(run(command + path("a.pt")).err, AllOf(HasSubstr("a.pt: this is a TorchScript"), HasSubstr(instead)));
  }
  const Ran light = run("export " + path("a.light") + " --torchscript " + path("b.pt"));
  EXPECT_EQ(light.status, 1);
  EXPECT_THAT(light.err, AllOf(HasSubstr("a.light: this is a light file"), HasSubstr(instead)));
}

TEST_F(ExportCommand, WritesAFolderLikeTheShippedOnes) {
  const std::string folder = path("mine");
  std::filesystem::create_directories(folder);
  write_file_atomic(folder + "/README.md", "a card");
  for (const char* measure : {" --no-measure", ""}) {
    const Ran ran = run("export " + small + measure + " --folder " + folder);
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  for (const char* file : {"model.safetensors", "config.yaml", "model.light", "checksums.txt"})
    EXPECT_EQ(read_file(folder + "/" + file), read_file(small + "/" + file)) << file;
  EXPECT_EQ(read_file(folder + "/README.md"), "a card");
  EXPECT_TRUE(matches_manifest(folder));
  write_file_atomic(folder + "/README.md", "a longer card");
  EXPECT_TRUE(matches_manifest(folder));

  // Weights without a configuration beside them, as those of `distill`: the run's is above.
  std::filesystem::create_directories(path("run/best"));
  std::filesystem::copy_file(small + "/model.safetensors", path("run/best/model.safetensors"));
  ASSERT_EQ(run("export " + path("run/best") + " --no-measure --folder " + folder).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder + "/config.yaml"));
  write_file_atomic(path("run/config.yaml"), "seed: 7\n");
  ASSERT_EQ(run("export " + path("run/best") + " --no-measure --folder " + folder).status, 0);
  EXPECT_EQ(read_file(folder + "/config.yaml"), "seed: 7\n");
  EXPECT_TRUE(matches_manifest(folder));
}

// The folder lists it, so that it is of one piece.
TEST_F(ExportCommand, TheLightFileOfAFolderIsOfItsCheckpoint) {
  const std::string folder = path("mine");
  ASSERT_EQ(run("export " + small + " --no-measure --folder " + folder).status, 0);
  fails(1, "export " + small + " --no-measure --light " + folder + "/model.light",
        HasSubstr("is a file of a run or a checkpoint"));
  EXPECT_TRUE(matches_manifest(folder));
  write_file_atomic(folder + "/model.light", read_file(QUARTOZERO_CHECKPOINTS "/zero/model.light"));
  fails(1, "eval " + folder + "/model.light --sims 0 --limit 1", HasSubstr("or comes from another checkpoint"));
  std::filesystem::remove(folder + "/checksums.txt");
  EXPECT_EQ(run("eval " + folder + "/model.light --sims 0 --limit 1").status, 0);
}

TEST_F(ExportCommand, AFolderThatHoldsAnythingElseIsLeftAsItIs) {
  const auto refused = [&](const std::string& options, const std::string& why) {
    const Ran ran = run("export " + small + " --no-measure " + options);
    EXPECT_NE(ran.status, 0) << options;
    EXPECT_THAT(ran.err, HasSubstr(why)) << options;
  };
  std::filesystem::create_directories(path("run"));
  write_file_atomic(path("run/config.yaml"), "seed: 7\n");
  refused("--folder " + path("run"), "holds 'config.yaml', which was not written here");
  EXPECT_FALSE(std::filesystem::exists(path("run/model.safetensors")));
  EXPECT_EQ(read_file(path("run/config.yaml")), "seed: 7\n");
  write_file_atomic(path("file"), "");
  refused("--folder " + path("file"), "is no folder");
  refused("--folder " + path("file/below"), "cannot be made");
  EXPECT_EQ(run("export " + small + " --no-measure --folder " + path("file/below")).status, 1)
      << "the disk's answer, not an error of the command line";
  refused("--folder " + small, "holds the checkpoint itself");
  ASSERT_EQ(run("export " QUARTOZERO_CHECKPOINTS "/zero --no-measure --no-check --folder " + path("zero")).status, 0);
  refused("--folder " + path("zero"), "holds another checkpoint");
  EXPECT_TRUE(matches_manifest(path("zero")));
  refused("--folder " + path("new") + " --onnx " + path("new/config.yaml"), "both name");
}

// Integers may cost at most 0.3 points of agreement.
TEST_F(ExportCommand, IntegersPlayAsWell) {
  for (const std::string name : {"zero", "squares", "small"}) {
    const Ran ran = run("export " QUARTOZERO_CHECKPOINTS "/" + name + " --light " + path("a.light"));
    ASSERT_EQ(ran.status, 0) << ran.err;
    std::array<double, 2> of_checkpoint{}, of_file{};
    const auto read = [&](const std::string& before, std::array<double, 2>& out) {
      const auto at = ran.out.find(before);
      ASSERT_NE(at, std::string::npos) << ran.out;
      ASSERT_EQ(
          std::sscanf(ran.out.c_str() + at + before.size(), "decisive %lf%%, deep %lf%%", out.data(), out.data() + 1),
          2);
    };
    read("agreement with exact play, without search: ", of_checkpoint);
    read("the light file's, in integers: ", of_file);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(of_file[i], of_checkpoint[i], 0.31) << name;
  }
}

// A folder of this machine means nothing to whoever gets the file.
TEST_F(ExportCommand, TheHeaderNamesTheCheckpointWithoutItsFolder) {
  std::filesystem::create_directories(dir_ / "night" / "best");
  std::filesystem::copy_file(small + "/model.safetensors", dir_ / "night" / "best" / "model.safetensors");
  for (const char* checkpoint : {"night", "night/", "night/best", "night/best/model.safetensors"}) {
    const Ran ran = run("export " + path(checkpoint) + " --no-measure --c " + path("player.h"));
    ASSERT_EQ(ran.status, 0) << ran.err;
    const std::string header = read_file(path("player.h"));
    EXPECT_THAT(header, HasSubstr("/* The network: night, track zero")) << checkpoint;
    EXPECT_THAT(header, testing::Not(HasSubstr(dir_.string())));
  }
}

TEST_F(ExportCommand, NothingIsWrittenOverWhatIsReadOrWritten) {
  std::filesystem::copy_file(small + "/model.safetensors", path("w.safetensors"));
  const std::string before = read_file(path("w.safetensors"));
  EXPECT_EQ(run("export " + path("w.safetensors") + " --light " + path("w.safetensors")).status, 2);
  EXPECT_EQ(run("export " + path("w.safetensors") + " --onnx " + path("./w.safetensors")).status, 2);
  EXPECT_EQ(read_file(path("w.safetensors")), before);
  fails(2, "export " + small + " --light " + path("x") + " --torchscript " + path("x"), HasSubstr("both name"));
  EXPECT_FALSE(std::filesystem::exists(path("x")));
}

// A pipe would be waited for.
TEST_F(ExportCommand, WhatCannotBeReadAgainIsRefused) {
  fails(1, "export " + small + " --light /dev/stdout", HasSubstr("'/dev/stdout' is a pipe or a device"));
}

TEST_F(ExportCommand, OptionsOfAFileThatIsNotWrittenAreErrors) {
  EXPECT_EQ(run("export " + small + " --light " + path("a.light") + " --check").status, 2);
}

TEST_F(ExportCommand, NothingToWriteIsAnErrorOfTheCommandLine) { fails(2, "export " + small, HasSubstr("--light")); }

TEST_F(ExportCommand, AFolderThatIsNotThereIsNoticedBeforeTheWork) {
  const Ran ran = run("export " + small + " --light " + path("nowhere/a.light"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("nowhere"));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("agreement")));
}

TEST_F(ExportCommand, ALightFilePlaysWhereverANetworkDoes) {
  const Ran match = run("match light:" + small_light + "@8 oneply --games 4 --seed 1");
  EXPECT_EQ(match.status, 0) << match.err;
  EXPECT_THAT(match.out, HasSubstr("light:" + small_light + "@8 against oneply: 4 games"));
  says("eval " + small_light + " --limit 5 --no-baselines", testing::_);
  const Ran play = run("play --opponent endgame:7:light:" + small_light, "0\nquit\n");
  EXPECT_EQ(play.status, 0) << play.err;
}

TEST_F(ExportCommand, WhatIsNoLightFileIsSaidSo) {
  fails(1, "match light:" + small + "/model.safetensors oneply --games 2",
        AllOf(HasSubstr("model.safetensors"), HasSubstr("quartozero export")));
  EXPECT_EQ(run("match light: oneply --games 2").status, 2);
  EXPECT_EQ(run("match light:" + path("absent") + " oneply --games 2").status, 1);
}

TEST_F(ExportCommand, TheEngineTakesCheckpointsToo) {
  for (const std::string& network : {small, small_light, std::string("none"), std::string()}) {
    const Ran ran = run("engine " + network, "uqi\nposition start moves 0 a1 7\ngo sims 20\n");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("uqiok"), HasSubstr("bestmove ")));
  }
  EXPECT_EQ(run("engine /nowhere").status, 1);
  EXPECT_EQ(run("engine --device toaster " + small_light).status, 1);
  fails(1, "eval " + small_light + " --device toaster --limit 1 --no-baselines", HasSubstr("toaster"));
}

}  // namespace
}  // namespace quarto
