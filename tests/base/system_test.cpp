// What the operating system gives and takes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "base/control_group.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/program.h"
#include "base/scratch_directory.h"
#include "base/tell.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SystemMemory, IsNoMoreThanTheMachineHas) {
  const auto memory = system_memory();
  ASSERT_TRUE(memory.has_value());
  const auto physical =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
  EXPECT_LE(memory->total, physical + physical / 8);
  EXPECT_LE(memory->available, memory->total);
  EXPECT_GT(memory->available, std::size_t{1} << 20);
}

TEST(ControlGroup, ValuesAreThoseOfTheProcesssGroupAndTheOnesAboveIt) {
  const TemporaryDirectory dir;
  make_directories(dir / "groups/slice/service/below");
  write_file_atomic(dir / "groups/memory.max", "4000\n");
  write_file_atomic(dir / "groups/slice/service/memory.max", "2000\n");
  write_file_atomic(dir / "groups/slice/service/below/memory.max", "1000\n");
  write_file_atomic(dir / "own", "1:name=old:/elsewhere\n0::/slice/service\n");
  const auto values = [&](const char* file, const char* own) {
    return control_group_values(file, dir / "groups", dir / own);
  };
  EXPECT_THAT(values("memory.max", "own"), ElementsAre("2000", "4000"));
  EXPECT_THAT(values("cpu.max", "own"), IsEmpty());
  EXPECT_THAT(values("memory.max", "absent"), ElementsAre("4000")) << "a container sees its own group as the first";
}

TEST(UsableCores, AreOneAtLeast) { EXPECT_GE(usable_cores(), 1); }

TEST(Tell, WhatCannotBeWrittenIsLost) {
  const int kept = ::dup(STDERR_FILENO);
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  ::dup2(full, STDERR_FILENO);
  EXPECT_NO_THROW(tell("{} words\n", 2));
  ::dup2(kept, STDERR_FILENO);
  ::close(full);
  ::close(kept);
}

// In a process of its own, whose streams are closed.
TEST(Program, ClosedStreamsAreFilledWithWhatTakesNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int stream : {0, 1, 2}) ::close(stream);
    prepare_standard_streams();
    bool good = ::write(1, "x", 1) < 0 && ::write(2, "x", 1) < 0;
    char byte = 0;
    good = good && ::read(0, &byte, 1) == 0 && ::open("/dev/null", O_RDONLY) > 2;
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

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
