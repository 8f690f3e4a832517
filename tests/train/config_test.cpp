#include "train/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"
#include "train/run_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kPresets = fs::path(QUARTOZERO_SOURCE_DIR) / "configs";

// Before the folder of the run is made.
TEST(RunConfig, RefusesAWidthThatPairsDoNotHave) {
  EXPECT_THAT(message_of<ConfigError>([] { load_run_config(kPresets / "demo.yaml", {"network.width=20"}); }),
              HasSubstr("network.width is 20"));
}

TEST(RunConfig, RefusesStartsThatNoPositionHas) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a.yaml", "limits:\n  iterations: 3\n");
  EXPECT_NO_THROW(load_run_config(dir / "a.yaml", {"selfplay.random_start_weights=1-12:0"})) << "no random starts";
  EXPECT_THROW(load_run_config(dir / "a.yaml", {"selfplay.random_start_weights=1-12:0", "selfplay.random_starts=0.5"}),
               ConfigError);
  EXPECT_THROW(load_run_config(dir / "a.yaml", {"labels.weights=6-9"}), ConfigError);
}

TEST(SearchConfig, ListsItsFields) {
  SearchConfig c;
  config::set("c_puct=2.5", config::visitor_of(c));
  config::set("tactics=false", config::visitor_of(c));
  EXPECT_EQ(c.c_puct, 2.5);
  EXPECT_FALSE(c.tactics);
  EXPECT_THROW(config::set("noise_fraction=2", config::visitor_of(c)), ConfigError);
}

TEST(RunConfig, EveryPresetLoadsAndReadsBackTheSame) {
  int presets = 0;
  for (const auto& entry : fs::directory_iterator(kPresets)) {
    if (entry.path().extension() != ".yaml") continue;
    ++presets;
    const RunConfig config = load_run_config(entry.path(), {});
    RunConfig back;
    config::load_yaml(config::to_yaml(config), "saved", config::visitor_of(back));
    EXPECT_EQ(config::to_yaml(back), config::to_yaml(config)) << entry.path();
    EXPECT_EQ(incompatibility(config, back), "");
  }
  EXPECT_GE(presets, 3);
}

TEST(RunConfig, AMisspelledKeyNamesFileLineAndTheNearestKey) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a.yaml", "limits:\n  iterations: 3\nlearner:\n  learnin_rate: 0.1\n");
  EXPECT_THAT(message_of<ConfigError>([&] { load_run_config(dir / "a.yaml", {}); }),
              HasSubstr("a.yaml:4: unknown key 'learner.learnin_rate' (did you mean 'learner.learning_rate'?)"));
}

TEST(RunConfig, ARunWithoutAnEndIsRefused) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a.yaml", "seed: 3\n");
  EXPECT_THAT(message_of<ConfigError>([&] { load_run_config(dir / "a.yaml", {}); }),
              HasSubstr("set limits.iterations or limits.minutes"));
  EXPECT_EQ(load_run_config(dir / "a.yaml", {"limits.iterations=5"}).limits.iterations, 5);
}

TEST(RunConfig, AZeroRunHasNoOracle) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a.yaml", "limits:\n  iterations: 3\nsearch:\n  oracle_squares: 6\n");
  EXPECT_THAT(message_of<ConfigError>([&] { load_run_config(dir / "a.yaml", {}); }),
              HasSubstr("search.oracle_squares is 6, but a run of track 'zero' learns without an oracle"));
  EXPECT_EQ(load_run_config(dir / "a.yaml", {"track=distilled"}).search.oracle_squares, 6);
  EXPECT_EQ(load_run_config(dir / "a.yaml", {"search.oracle_squares=0"}).track, Track::zero);
  EXPECT_THAT(message_of<ConfigError>([&] { load_run_config(dir / "a.yaml", {"track=distiled"}); }),
              HasSubstr("'distilled'"));
}

TEST(RunConfig, WhatCannotChangeOnResumeIsNamed) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a.yaml", "limits:\n  iterations: 3\n");
  const RunConfig saved = load_run_config(dir / "a.yaml", {});
  EXPECT_EQ(incompatibility(saved, load_run_config(dir / "a.yaml", {"limits.minutes=7", "learner.batch=8"})), "");
  EXPECT_EQ(incompatibility(saved, load_run_config(dir / "a.yaml", {"seed=9"})), "seed was 1 and is now 9");
  EXPECT_THAT(incompatibility(saved, load_run_config(dir / "a.yaml", {"network.kind=residual"})),
              HasSubstr("network.kind was \"pairs\""));
  EXPECT_THAT(incompatibility(saved, load_run_config(dir / "a.yaml", {"learner.optimizer=sgd"})),
              HasSubstr("learner.optimizer"));
}

TEST(RunConfig, SharesOfLabelsThatMakeMoreThanOneAreRefused) {
  RunConfig config;
  config.limits.minutes = 1;
  config.labels = {.deep = 0.7, .decisive = 0.3};
  EXPECT_NO_THROW(config.check());
  config.labels.decisive = 0.31;
  EXPECT_THROW(config.check(), ConfigError);
}

}  // namespace
}  // namespace quarto
