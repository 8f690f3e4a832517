#include "base/atomic_file.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

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

TEST(WorkLock, IsHeldByOneAtATime) {
  const TemporaryDirectory dir;
  {
    const WorkLock lock(dir / "a");
    try {
      const WorkLock second(dir / "a");
      FAIL() << "two at once";
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find("another process is at work"), std::string::npos);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "a.lock"));
  write_file_atomic(dir / "a.lock", "");  // as a killed process leaves it
  const WorkLock again(dir / "a");
}

// Whoever gets the lock adds to a number in the file and lets go again: none is lost, and the lock's file is removed
// under the others all the time.
TEST(WorkLock, OneAtATimeWhateverTheOthersDo) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a", "0");
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&dir] {
      for (int done = 0; done < 25;) {
        std::optional<WorkLock> lock;
        try {
          lock.emplace(dir / "a");
        } catch (const FileError&) {
          std::this_thread::yield();
          continue;
        }
        ++done;
        try {
          write_file_atomic(dir / "a", std::to_string(std::stoi(read_file(dir / "a")) + 1));
        } catch (const FileError& e) {
          ADD_FAILURE() << e.what();
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(read_file(dir / "a"), "100");
}

}  // namespace
}  // namespace quarto
