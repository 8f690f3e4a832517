#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/atomic_file.h"
#include "base/manifest.h"
#include "base/replacement.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST(File, AnAtomicWriteReplacesTheWholeContent) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "f", "a longer first content");
  write_file_atomic(dir / "f", std::string("b\0c", 3));
  EXPECT_EQ(read_file(dir / "f"), std::string("b\0c", 3));
  EXPECT_EQ(entries(dir.path()), 1U) << "no temporary file is left";
}

TEST(File, WhatCannotBeWrittenIsSaidBeforehand) {
  const TemporaryDirectory dir;
  require_writable(dir / "new");
  EXPECT_EQ(entries(dir.path()), 0U) << "nothing is made";
  EXPECT_THROW(require_writable(dir.path()), FileError);
  EXPECT_THROW(require_writable(dir / "absent/new"), FileError);
  EXPECT_THROW(require_writable(dir / std::string(300, 'x')), FileError);  // longer than a name can be
}

TEST(File, WhatDoesNotEndIsNotReadToItsEnd) {
  EXPECT_THAT(message_of<FileError>([] { read_file("/dev/zero"); }),
              testing::HasSubstr("'/dev/zero': it does not end after 64 MiB"));
}

// A full disk, played by a limit on the size of files this process may write.
TEST(File, AFailedWriteLeavesTheOldContentAndNoLitter) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "f", "old");
  append_file(dir / "log", "one\n");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1024, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string large(4096, 'x');
  EXPECT_THROW(write_file_atomic(dir / "f", large), FileError);
  EXPECT_THROW(append_file(dir / "log", large), FileError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(read_file(dir / "f"), "old");
  EXPECT_EQ(read_file(dir / "log"), "one\n");
  EXPECT_EQ(entries(dir.path()), 2U);
}

TEST(File, ErrorsNameThePathAndTheReason) {
  const TemporaryDirectory dir;
  EXPECT_THAT(message_of<FileError>([&] { read_file(dir / "absent"); }),
              testing::HasSubstr("absent': No such file or directory"));
  EXPECT_THROW(read_file(dir.path()), FileError);
  EXPECT_THROW(read_file("/proc/self/mem"), FileError) << "its first page is nobody's memory";
  EXPECT_THROW(read_file(dir / std::string(300, 'x')), FileError);  // longer than a name can be
  EXPECT_THROW(write_file_atomic(dir / "no/such/dir", "x"), FileError);
  write_file_atomic(dir / "file", "x");
  EXPECT_THROW(make_directories(dir / "file/below"), FileError);
}

TEST(File, AMissingFileIsToldFromOneWithACloseName) {
  const TemporaryDirectory dir;
  for (const char* name :
       {"demo.yaml", "cpu.yaml", "deno.txt", "notes", "a.yaml", "night.v2.yaml", "config.yaml.tmp123"})
    write_file_atomic(dir / name, "x");
  fs::create_directory(dir / "demmo");
  const auto error_of = [&](const char* name) { return message_of<FileError>([&] { read_file(dir / name); }); };
  for (const char* name : {"demmo.yaml", "demo.yml", "demo", "dmeo.yaml"}) {
    EXPECT_THAT(error_of(name), testing::EndsWith("(did you mean '" + (dir / "demo.yaml").string() + "'?)")) << name;
  }
  for (const char* name : {"other.yaml", "x.yaml", "no/demo.yaml", "zz.yaml", "v3.yaml", "yaml.yaml", "confi.yaml"}) {
    EXPECT_THAT(error_of(name), testing::EndsWith("No such file or directory")) << name;
  }
}

// Two processes in containers may even have the same number.
TEST(File, ThoseWhoWriteOneFileAtTheSameTimeDoNotMixTheirBytes) {
  const TemporaryDirectory dir;
  const fs::path file = dir / "a";
  constexpr std::size_t kBytes = 1 << 16;
  std::vector<std::jthread> writers;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    writers.emplace_back([&file, letter] {
      for (int i = 0; i < 100; ++i) EXPECT_NO_THROW(write_file_atomic(file, std::string(kBytes, letter), Flush::no));
    });
  }
  writers.clear();
  const std::string bytes = read_file(file);
  EXPECT_EQ(bytes, std::string(kBytes, bytes.at(0)));
  EXPECT_EQ(entries(dir.path()), 1U);
  EXPECT_NE(temporary_name(file), temporary_name(file));
}

TEST(File, TemporaryFilesAreRemovedWhenTheirWriterHasEnded) {
  const TemporaryDirectory dir;
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
  const std::string mine = temporary_name(dir / "a").filename().string();
  const std::string number = std::to_string(::getpid());
  ASSERT_TRUE(mine.starts_with("a.tmp" + number));
  const std::string left = "a.tmp" + std::to_string(ended) + mine.substr(5 + number.size());
  // In a container the process that was killed had the same identifier. This one has not come so far yet.
  std::string earlier = mine;
  earlier[earlier.size() - 6] = earlier[earlier.size() - 6] == '5' ? '0' : '5';
  for (const std::string& name : {mine, left, earlier, "b" + left, std::string("a.tmp"), std::string("a.tmpx")})
    write_file_atomic(dir / name, "x");
  remove_temporary_files_of(dir / "a");
  EXPECT_FALSE(fs::exists(dir / left));
  EXPECT_FALSE(fs::exists(dir / earlier));
  EXPECT_EQ(entries(dir.path()), 4U);
  remove_temporary_files(dir.path());
  EXPECT_FALSE(fs::exists(dir / ("b" + left)));
  EXPECT_EQ(entries(dir.path()), 3U) << "those of processes that run, and what is somebody else's";
}

TEST(File, AppendingKeepsWhatWasThere) {
  const TemporaryDirectory dir;
  append_file(dir / "f", "a\n");
  append_file(dir / "f", "b\n");
  EXPECT_EQ(read_file(dir / "f"), "a\nb\n");
  append_file(dir / "f", "c\n", Flush::no);
  EXPECT_EQ(read_file(dir / "f"), "a\nb\nc\n");
  write_file_atomic(dir / "f", "d", Flush::no);
  EXPECT_EQ(read_file(dir / "f"), "d");
  EXPECT_EQ(entries(dir.path()), 1U);
}

TEST(File, ReplacingADirectoryExchangesItWhole) {
  const TemporaryDirectory dir;
  for (const char* content : {"first", "second"}) {
    fs::create_directory(dir / "new");
    write_file_atomic(dir / "new/f", content);
    replace_directory(dir / "new", dir / "current");
    EXPECT_EQ(read_file(dir / "current/f"), content);
    EXPECT_EQ(entries(dir.path()), 1U);
  }
}

TEST(File, ALinkStaysALinkAndADeviceStaysADevice) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "target", "old");
  std::filesystem::create_symlink(dir / "target", dir / "link");
  write_file_atomic(dir / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(dir / "target"), "new");
  fs::create_directory(dir / "folder");
  fs::create_symlink("folder/absent", dir / "ahead");
  require_writable(dir / "ahead");
  write_file_atomic(dir / "ahead", "made");
  EXPECT_TRUE(fs::is_symlink(dir / "ahead"));
  EXPECT_EQ(read_file(dir / "folder/absent"), "made");
  fs::create_symlink("ring", dir / "ring");
  EXPECT_THROW(write_file_atomic(dir / "ring", "x"), FileError);
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  const int reader = ::open((dir / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file_atomic(dir / "pipe", "through");
  std::array<char, 16> got{};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 7);
  EXPECT_STREQ(got.data(), "through");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(dir / "pipe"));
}

// As /dev/stdout is, which leads to a name that is none.
TEST(File, ALinkToAnOpenPipeIsWrittenThrough) {
  const TemporaryDirectory dir;
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  fs::create_symlink("/proc/self/fd/" + std::to_string(ends[1]), dir / "out");
  require_writable(dir / "out");
  write_file_atomic(dir / "out", "through");
  std::array<char, 16> got{};
  EXPECT_EQ(::read(ends[0], got.data(), got.size()), 7);
  EXPECT_STREQ(got.data(), "through");
  for (const int end : ends) ::close(end);
}

unsigned mode_of(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
}

// The ways in which files are written.
const std::vector<std::pair<const char*, std::function<void(const fs::path&)>>> kWriters = {
    {"whole", [](const fs::path& path) { write_file_atomic(path, "new"); }},
    {"in pieces",
     [](const fs::path& path) {
       AtomicFile file(path);
       file.append("new");
       file.commit();
     }},
    {"appended", [](const fs::path& path) { append_file(path, "new"); }},
};

TEST(Access, OfANewFileIsWhatUmaskSays) {
  const mode_t before = ::umask(0);
  for (const auto& [mask, mode] : {std::pair{0002U, 0664U}, {0022U, 0644U}, {0077U, 0600U}}) {
    const TemporaryDirectory dir;
    ::umask(mask);
    for (const auto& [how, write] : kWriters) {
      write(dir / how);
      EXPECT_EQ(mode_of(dir / how), mode) << how;
    }
    const WorkLock lock(dir / "a");
    EXPECT_EQ(mode_of(dir / "a.lock"), mode);
    write_directory(dir / "folder", [](const fs::path& folder) { write_file_atomic(folder / "f", "x"); });
    EXPECT_EQ(mode_of(dir / "folder"), 0777U & ~mask);
    EXPECT_EQ(mode_of(dir / "folder/f"), mode);
  }
  ::umask(before);
}

TEST(Access, OfAFileThatIsReplacedStaysAsItWas) {
  const TemporaryDirectory dir;
  for (const auto& [how, write] : kWriters) {
    for (const unsigned mode : {0600U, 0640U, 0664U, 0666U, 0755U}) {
      write_file_atomic(dir / how, "old");
      ASSERT_EQ(::chmod((dir / how).c_str(), mode), 0);
      const bool other = ::geteuid() == 0;
      ASSERT_EQ(::chown((dir / how).c_str(), other ? 12345 : ::geteuid(), other ? 23456 : ::getegid()), 0);
      write(dir / how);
      struct stat found {};
      ASSERT_EQ(::stat((dir / how).c_str(), &found), 0);
      EXPECT_EQ(found.st_mode & 07777U, mode) << how;
      EXPECT_EQ(found.st_uid, other ? 12345 : ::geteuid()) << how;
      EXPECT_EQ(found.st_gid, other ? 23456 : ::getegid()) << how;
    }
  }
}

TEST(Access, OfADirectoryThatIsReplacedStaysAsItWas) {
  const TemporaryDirectory dir;
  const auto write = [&](unsigned while_filled) {
    write_directory(dir / "link", [&](const fs::path& folder) {
      EXPECT_EQ(mode_of(folder), while_filled);
      for (const char* name : {"a", "b"}) write_file_atomic(folder / name, "x");
    });
  };
  fs::create_directory(dir / "there");
  fs::create_symlink("there", dir / "link");
  fs::permissions(dir / "there", fs::perms{0775});
  write(0775);
  fs::permissions(dir / "there/a", fs::perms{0640});
  write(0770);
  EXPECT_EQ(mode_of(dir / "there"), 0775U);
  EXPECT_EQ(mode_of(dir / "there/a"), 0640U);
  fs::permissions(dir / "there", fs::perms{0700});
  write(0700);
  EXPECT_EQ(mode_of(dir / "there"), 0700U);
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
}

// One who writes to a group's folder but cannot give files to others.
TEST(Access, GoesToNobodyElseWhereTheGroupCannotBeKept) {
  static_assert(mode_without_group(0640) == 0600 && mode_without_group(0664) == 0644);
  static_assert(mode_without_group(0604) == 0600 && mode_without_group(0777) == 0777);
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  const TemporaryDirectory dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0777), 0);
  for (const char* name : {"secret", "shared"}) {
    write_file_atomic(dir / name, "old");
    ASSERT_EQ(::chmod((dir / name).c_str(), 0640), 0);
  }
  ASSERT_EQ(::chown((dir / "shared").c_str(), 12345, 777), 0);
  const pid_t other = ::fork();
  if (other == 0) {
    const gid_t groups[] = {777};
    // From within: the folders above may be closed to this user.
    if (::chdir(dir.path().c_str()) != 0 || ::setgroups(1, groups) != 0 || ::setgid(23456) != 0 || ::setuid(23456) != 0)
      ::_exit(1);
    try {
      for (const char* name : {"secret", "shared"}) write_file_atomic(name, "new");
    } catch (const FileError&) {
      ::_exit(2);
    }
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(mode_of(dir / "secret"), 0600U);
  EXPECT_EQ(mode_of(dir / "shared"), 0640U) << "a member of the group";
  struct stat found {};
  ASSERT_EQ(::stat((dir / "shared").c_str(), &found), 0);
  EXPECT_EQ(found.st_gid, 777U);
}

// An access list in the form of the attribute that holds it: a version, then tag, permissions and identifier of each.
std::string access_list(unsigned named_user) {
  std::string list("\2\0\0\0", 4);
  const std::array<std::array<unsigned, 3>, 5> entries = {
      {{0x01, 6, ~0U}, {0x02, 4, named_user}, {0x04, 0, ~0U}, {0x10, 4, ~0U}, {0x20, 0, ~0U}}};
  for (const auto& [tag, permissions, id] : entries) {
    const std::array<std::uint16_t, 4> words = {static_cast<std::uint16_t>(tag),
                                                static_cast<std::uint16_t>(permissions), static_cast<std::uint16_t>(id),
                                                static_cast<std::uint16_t>(id >> 16)};
    list.append(reinterpret_cast<const char*>(words.data()), sizeof words);
  }
  return list;
}

std::string list_of(const fs::path& path) {
  std::string list(1024, '\0');
  const ssize_t size = ::getxattr(path.c_str(), "system.posix_acl_access", list.data(), list.size());
  list.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return list;
}

TEST(Access, ListsAreKeptToo) {
  const TemporaryDirectory dir;
  const std::string list = access_list(12345);
  write_file_atomic(dir / "listed", "old");
  write_file_atomic(dir / "unlisted", "old");
  ASSERT_EQ(::chmod((dir / "unlisted").c_str(), 0640), 0);
  if (::setxattr((dir / "listed").c_str(), "system.posix_acl_access", list.data(), list.size(), 0) != 0 ||
      ::setxattr(dir.path().c_str(), "system.posix_acl_default", list.data(), list.size(), 0) != 0) {
    GTEST_SKIP() << "the file system has no access lists";
  }
  for (const char* name : {"listed", "unlisted", "fresh"}) write_file_atomic(dir / name, "new");
  EXPECT_EQ(list_of(dir / "listed"), list) << "without it the mode would let the group read";
  EXPECT_EQ(list_of(dir / "unlisted"), "") << "not what the folder gives to new files";
  EXPECT_EQ(mode_of(dir / "unlisted"), 0640U);
  EXPECT_EQ(list_of(dir / "fresh"), list);
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
  EXPECT_EQ(entries(dir.path()), 1U);
}

TEST(AtomicFile, LeavesTheOldOneWithoutACommit) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a", "old");
  { AtomicFile(dir / "a").append("new"); }
  EXPECT_EQ(read_file(dir / "a"), "old");
  EXPECT_EQ(entries(dir.path()), 1U);
}

TEST(AtomicFile, ADirectoryThatIsNotThereIsAnError) {
  const TemporaryDirectory dir;
  EXPECT_THROW(AtomicFile(dir / "absent" / "a"), FileError);
}

TEST(WorkLock, IsHeldByOneAtATime) {
  const TemporaryDirectory dir;
  {
    const WorkLock lock(dir / "a");
    EXPECT_NE(message_of<FileError>([&] { const WorkLock second(dir / "a"); }).find("another process is at work"),
              std::string::npos);
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
