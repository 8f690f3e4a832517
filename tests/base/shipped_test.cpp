#include "base/shipped.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

// In an empty folder, as from anywhere but the source tree.
class Shipped : public testing::Test {
 protected:
  void SetUp() override { fs::current_path(dir_.path()); }
  void TearDown() override { fs::current_path(before_); }

  const fs::path before_ = fs::current_path();
  const TemporaryDirectory dir_;
};

TEST_F(Shipped, ConfigurationsAndCheckpointsAreFoundByTheirNames) {
  for (const char* name : {"configs/demo.yaml", "checkpoints/small", "checkpoints/small/",
                           "checkpoints/small/model.light", "eval/suites/deep.tsv"}) {
    EXPECT_TRUE(or_shipped(name).is_absolute()) << name;
    EXPECT_TRUE(fs::exists(or_shipped(name))) << name;
  }
}

TEST_F(Shipped, OtherNamesStayAsTheyAre) {
  for (const char* name : {"", "env/position.h", "configs/absent.yaml", "configs/../configs/demo.yaml",
                           "./configs/demo.yaml", "/configs/demo.yaml", "configs.yaml"}) {
    EXPECT_EQ(or_shipped(name), name);
  }
}

TEST_F(Shipped, WhatIsThereComesFirst) {
  fs::create_directory("configs");
  write_file_atomic("configs/demo.yaml", "seed: 1\n");
  EXPECT_EQ(or_shipped("configs/demo.yaml"), "configs/demo.yaml");
}

}  // namespace
}  // namespace quarto
