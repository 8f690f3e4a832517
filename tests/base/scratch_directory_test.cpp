#include "base/scratch_directory.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace quarto {
namespace {

TEST(ScratchDirectory, IsThereAloneAndGoesAwayWithWhatIsInIt) {
  std::filesystem::path path;
  {
    const ScratchDirectory first("test"), second("test");
    EXPECT_NE(first.path(), second.path());
    path = first.path();
    write_file_atomic(first / "something", "x");
    EXPECT_TRUE(std::filesystem::exists(path / "something"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace quarto
