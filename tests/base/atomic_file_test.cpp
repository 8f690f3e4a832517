#include "base/atomic_file.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

std::size_t files_in(const std::filesystem::path& directory) {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) n += entry.exists();
  return n;
}

TEST(AtomicFile, AppearsWholeOnCommit) {
  const TemporaryDirectory dir;
  std::string expected;
  {
    AtomicFile file(dir / "a");
    for (int i = 0; i < 300; ++i) {
      const std::string piece(10'000, static_cast<char>('a' + i % 26));
      file.append(piece);
      expected += piece;
    }
    EXPECT_FALSE(std::filesystem::exists(dir / "a"));
    file.commit();
  }
  EXPECT_EQ(read_file(dir / "a"), expected);
  EXPECT_EQ(files_in(dir / ""), 1U);
}

TEST(AtomicFile, LeavesTheOldOneWithoutACommit) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a", "old");
  { AtomicFile(dir / "a").append("new"); }
  EXPECT_EQ(read_file(dir / "a"), "old");
  EXPECT_EQ(files_in(dir / ""), 1U);
}

TEST(AtomicFile, ADirectoryThatIsNotThereIsAnError) {
  const TemporaryDirectory dir;
  EXPECT_THROW(AtomicFile(dir / "absent" / "a"), FileError);
}

TEST(FileLock, IsHeldByOneAtATime) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a", "");
  {
    const FileLock lock(dir / "a");
    try {
      const FileLock second(dir / "a");
      FAIL() << "two at once";
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find("another process is at work"), std::string::npos);
    }
  }
  const FileLock again(dir / "a");
}

}  // namespace
}  // namespace quarto
