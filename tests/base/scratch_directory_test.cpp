#include "base/scratch_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

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

// Of a process that was killed, another at work, one that has just been made, and what is none.
TEST(ScratchDirectory, RemovesWhatKilledProcessesHaveLeft) {
  namespace fs = std::filesystem;
  const fs::path parent = fs::temp_directory_path();
  const std::string purpose = "left" + std::to_string(::getpid()), name = "quartozero-" + purpose + "-";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const ScratchDirectory at_work(purpose);
  const fs::path left = parent / (name + "abcdef"), young = parent / (name + "ABCDEF"),
                 link = parent / (name + "ln1234"), other = parent / (name + "more-than-six");
  for (const fs::path& directory : {left, young, other}) {
    make_directories(directory / "folder");
    write_file_atomic(directory / "folder" / "file", "x");
  }
  fs::create_directory_symlink(other, link);
  for (const fs::path& directory : {at_work.path(), left, other}) fs::last_write_time(directory, long_ago);
  { const ScratchDirectory next(purpose); }
  EXPECT_FALSE(fs::exists(left));
  for (const fs::path& stays : {at_work.path(), young, other, link}) {
    EXPECT_TRUE(fs::exists(stays)) << stays;
  }
  for (const fs::path& made : {link, young, other}) fs::remove_all(made);
}

}  // namespace
}  // namespace quarto
