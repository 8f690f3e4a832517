#include "base/manifest.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/checksum.h"
#include "base/file.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

void write_checkpoint(const fs::path& to, const std::string& content) {
  write_directory(to, [&](const fs::path& dir) {
    write_file_atomic(dir / "weights", content);
    write_file_atomic(dir / "state", "step " + content);
    write_file_atomic(dir / "name with blanks", "");
  });
}

TEST(Manifest, IsReadBack) {
  const TemporaryDirectory dir;
  write_checkpoint(dir / "c", "one");
  EXPECT_EQ(read_checked_file(dir / "c/weights"), "one");
  EXPECT_EQ(read_checked_file(dir / "c/state"), "step one");
  EXPECT_EQ(read_checked_file(dir / "c/name with blanks"), "");
  EXPECT_TRUE(matches_manifest(dir / "c"));
  EXPECT_THROW(read_checked_file(dir / "c/absent"), FileError);
}

TEST(Manifest, EveryChangedByteOfEveryFileIsNoticed) {
  const TemporaryDirectory dir;
  write_checkpoint(dir / "c", "one");
  for (const char* name : {"weights", "state", kManifestFile}) {
    const fs::path path = dir / "c" / name;
    const std::string good = read_file(path);
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
      write_file_atomic(path, bad);
      const char* reading = name == std::string(kManifestFile) ? "weights" : name;
      EXPECT_THROW(read_checked_file(dir / "c" / reading), ManifestError) << name << " byte " << at;
      EXPECT_FALSE(matches_manifest(dir / "c"));
    }
    for (std::size_t size = 0; size < good.size(); ++size) {
      write_file_atomic(path, good.substr(0, size));
      EXPECT_FALSE(matches_manifest(dir / "c")) << name << " cut to " << size;
    }
    write_file_atomic(path, good);
  }
  EXPECT_TRUE(matches_manifest(dir / "c"));
}

// With a right checksum of its own.
TEST(Manifest, AListWithALineOfAnotherFormIsRefused) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "weights", "x");
  write_manifest(dir.path());
  std::string list = read_file(dir / kManifestFile);
  list.resize(list.rfind("all "));
  for (const std::string line : {"", "nothing\n", "one blank\n", "\n"}) {
    const std::string lines = list + line;
    write_file_atomic(dir / kManifestFile, lines + fmt::format("all {:08x}\n", crc32c(lines)));
    EXPECT_EQ(matches_manifest(dir.path()), line.empty()) << line;
    if (line.empty()) continue;
    EXPECT_THAT([&] { read_checked_file(dir / "weights"); },
                testing::ThrowsMessage<ManifestError>(testing::HasSubstr("CHECKSUM BYTES NAME")))
        << line;
  }
}

// A list names files of its own directory, and no other file is opened because of it.
TEST(Manifest, AListWithANameOfAnotherKindIsRefused) {
  const TemporaryDirectory dir;
  make_directories(dir / "c/folder");
  write_file_atomic(dir / "outside", "x");
  write_file_atomic(dir / "c/folder/inside", "x");
  write_file_atomic(dir / "c/weights", "x");
  write_manifest(dir / "c");
  std::string list = read_file(dir / "c" / kManifestFile);
  list.resize(list.rfind("all "));
  const std::string of_x = fmt::format("{:08x} 1 ", crc32c("x"));
  const auto with = [&](const std::string& name) {
    const std::string lines = list + of_x + name + "\n";
    write_file_atomic(dir / "c" / kManifestFile, lines + fmt::format("all {:08x}\n", crc32c(lines)));
  };
  for (const std::string& name : {std::string("../outside"), (dir / "outside").string(), std::string("folder/inside"),
                                  std::string(), std::string("."), std::string(".."), std::string("weights\0", 8)}) {
    with(name);
    EXPECT_FALSE(matches_manifest(dir / "c")) << name;
    EXPECT_THAT([&] { read_checked_file(dir / "c/weights"); },
                testing::ThrowsMessage<ManifestError>(testing::HasSubstr("is not that of a file in its directory")))
        << name;
  }
  std::filesystem::remove(dir / "c" / kManifestFile);
  ASSERT_EQ(::mkfifo((dir / "c" / kManifestFile).c_str(), 0600), 0);
  EXPECT_THROW(read_checked_file(dir / "c/weights"), FileError) << "nobody waits for a pipe";
  EXPECT_FALSE(matches_manifest(dir / "c"));
  std::filesystem::remove(dir / "c" / kManifestFile);
  ASSERT_EQ(::mkfifo((dir / "c/pipe").c_str(), 0600), 0);
  with("pipe");
  EXPECT_FALSE(matches_manifest(dir / "c"));
  std::filesystem::remove(dir / "c/pipe");
  with(std::string(300, 'x'));  // longer than any file's name
  EXPECT_FALSE(matches_manifest(dir / "c"));
  EXPECT_EQ(read_checked_file(dir / "c/weights"), "x");
}

TEST(Manifest, ListsTheFilesThatAreThereAndNeitherFoldersNorItself) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "weights", "x");
  fs::create_directory(dir / "folder");
  write_manifest(dir.path());
  const std::string list = read_file(dir / kManifestFile);
  write_manifest(dir.path());
  EXPECT_EQ(read_file(dir / kManifestFile), list);
  EXPECT_THAT(list, testing::Not(testing::HasSubstr("folder")));
  EXPECT_TRUE(matches_manifest(dir.path()));
}

TEST(Manifest, IsFoundForAFileOfTheCurrentDirectory) {
  const TemporaryDirectory dir;
  write_checkpoint(dir / "c", "one");
  const fs::path before = fs::current_path();
  fs::current_path(dir / "c");
  std::string weights = "other";
  EXPECT_NO_THROW(weights = read_checked_file("weights"));
  write_file_atomic("weights", "changed");
  EXPECT_THROW(read_checked_file("weights"), ManifestError);
  fs::current_path(before);
  EXPECT_EQ(weights, "one");
}

TEST(Manifest, AFileOfAnotherDirectoryIsNoticed) {
  const TemporaryDirectory dir;
  write_checkpoint(dir / "a", "one");
  write_checkpoint(dir / "b", "two");
  fs::copy_file(dir / "a/weights", dir / "b/weights", fs::copy_options::overwrite_existing);
  EXPECT_THROW(read_checked_file(dir / "b/weights"), ManifestError);
  write_file_atomic(dir / "a/other", "x");
  EXPECT_THROW(read_checked_file(dir / "a/other"), ManifestError);
  EXPECT_TRUE(matches_manifest(dir / "a"));  // what somebody puts beside the files does not matter
}

TEST(Manifest, AFileThatNeedNotBeListedIsComparedIfItIs) {
  const TemporaryDirectory dir;
  write_checkpoint(dir / "c", "one");
  write_file_atomic(dir / "c/later", "x");
  write_file_atomic(dir / "alone", "x");
  EXPECT_TRUE(is_listed(dir / "c/weights"));
  for (const char* free : {"c/later", "c/absent", "alone"}) {
    EXPECT_FALSE(is_listed(dir / free)) << free;
    EXPECT_NO_THROW(require_as_listed(dir / free)) << free;
  }
  EXPECT_NO_THROW(require_as_listed(dir / "c/weights"));
  write_file_atomic(dir / "c/weights", "two");
  EXPECT_THROW(require_as_listed(dir / "c/weights"), ManifestError);
  write_file_atomic(dir / "checksums.txt", "0123abcd  alone\n");  // of another program
  EXPECT_FALSE(is_listed(dir / "alone"));
  EXPECT_NO_THROW(require_as_listed(dir / "alone"));
}

TEST(Manifest, ADirectoryWithoutAListIsReadWithANote) {
  const TemporaryDirectory dir;
  fs::create_directory(dir / "copied");
  write_file_atomic(dir / "copied/weights", "x");
  testing::internal::CaptureStderr();
  EXPECT_EQ(read_checked_file(dir / "copied/weights"), "x");
  EXPECT_EQ(read_checked_file(dir / "copied/weights"), "x");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, testing::HasSubstr("has no checksums.txt"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  EXPECT_FALSE(matches_manifest(dir / "copied"));
}

TEST(Manifest, ADirectoryIsRestoredAfterACrash) {
  const TemporaryDirectory dir;
  write_checkpoint(dir / "c.old", "old");
  restore_directory(dir / "c");
  EXPECT_EQ(read_checked_file(dir / "c/weights"), "old");
  EXPECT_FALSE(fs::exists(dir / "c.old"));
  restore_directory(dir / "absent");
  EXPECT_FALSE(fs::exists(dir / "absent"));
}

TEST(Manifest, ADamagedDirectoryGivesWayToTheOneBeforeAndIsKept) {
  const TemporaryDirectory dir;
  write_checkpoint(dir / "c.old", "old");
  write_checkpoint(dir / "c", "new");
  fs::remove(dir / "c/state");  // being removed when the process died
  restore_directory(dir / "c");
  EXPECT_EQ(read_checked_file(dir / "c/weights"), "old");
  EXPECT_EQ(read_file(dir / "c.damaged/weights"), "new");
}

TEST(Manifest, AWholeDirectoryIsNeverExchangedForAnOlderOne) {
  const TemporaryDirectory dir;
  write_checkpoint(dir / "c.old", "old");
  write_checkpoint(dir / "c", "new");
  restore_directory(dir / "c");
  EXPECT_EQ(read_checked_file(dir / "c/weights"), "new");
  // A copy that somebody made of a checkpoint's files, and one that is damaged itself.
  for (const char* list : {"c/checksums.txt", "c.old/checksums.txt"}) fs::remove(dir / list);
  restore_directory(dir / "c");
  EXPECT_EQ(read_file(dir / "c/weights"), "new");
  write_checkpoint(dir / "c", "newer");
  fs::remove(dir / "c/state");
  restore_directory(dir / "c");
  EXPECT_EQ(read_file(dir / "c/weights"), "newer");
}

}  // namespace
}  // namespace quarto
