#include "train/metrics.h"

#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <cstring>
#include <sstream>
#include <vector>

#include "base/checksum.h"
#include "base/file.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using google::protobuf::UnknownFieldSet;

// Reads the records of an event file the way TensorBoard does: lengths and checksums first.
std::vector<std::string> records_of(const std::string& bytes) {
  const auto masked = [](std::string_view s) {
    const std::uint32_t c = crc32c(s);
    return ((c >> 15) | (c << 17)) + 0xA282EAD8U;
  };
  std::vector<std::string> records;
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::uint64_t length = 0;
    std::uint32_t length_crc = 0, data_crc = 0;
    std::memcpy(&length, &bytes.at(at), 8);
    std::memcpy(&length_crc, &bytes.at(at + 8), 4);
    EXPECT_EQ(length_crc, masked(std::string_view(bytes).substr(at, 8)));
    records.push_back(bytes.substr(at + 12, length));
    std::memcpy(&data_crc, &bytes.at(at + 12 + length), 4);
    EXPECT_EQ(data_crc, masked(records.back()));
    at += 16 + length;
  }
  return records;
}

fs::path only_file(const fs::path& directory) { return fs::directory_iterator(directory)->path(); }

// Parsed by the protocol-buffer library, which knows nothing of how they were written.
TEST(EventFile, HoldsTensorBoardEvents) {
  const TemporaryDirectory dir;
  EventFile file(dir / "tb");
  file.add_scalar("loss/place", 1.5, 300);
  file.flush();
  const auto records = records_of(read_file(only_file(dir / "tb")));
  ASSERT_EQ(records.size(), 2U);

  UnknownFieldSet version, event, summary, scalar;
  ASSERT_TRUE(version.ParseFromString(records[0]));
  ASSERT_EQ(version.field_count(), 2);
  EXPECT_EQ(version.field(1).number(), 3);
  EXPECT_EQ(version.field(1).length_delimited(), "brain.Event:2");

  ASSERT_TRUE(event.ParseFromString(records[1]));
  ASSERT_EQ(event.field_count(), 3);
  EXPECT_EQ(event.field(0).number(), 1);
  EXPECT_EQ(event.field(0).type(), google::protobuf::UnknownField::TYPE_FIXED64);
  EXPECT_EQ(event.field(1).number(), 2);
  EXPECT_EQ(event.field(1).varint(), 300U);
  EXPECT_EQ(event.field(2).number(), 5);
  ASSERT_TRUE(summary.ParseFromString(event.field(2).length_delimited()));
  ASSERT_TRUE(scalar.ParseFromString(summary.field(0).length_delimited()));
  EXPECT_EQ(scalar.field(0).length_delimited(), "loss/place");
  const std::uint32_t bits = scalar.field(1).fixed32();
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  EXPECT_EQ(value, 1.5F);
}

TEST(Metrics, WritesALineAndEveryNumberInIt) {
  const TemporaryDirectory dir;
  Metrics metrics(dir.path(), 0);
  metrics.write({{"iteration", 1}, {"loss", 2.5}, {"agreement", {{"deep", 0.5}}}, {"name", "x"}});
  EXPECT_EQ(nlohmann::json::parse(read_file(dir / "metrics.jsonl"))["agreement"]["deep"], 0.5);
  const std::string events = read_file(only_file(dir / "tensorboard"));
  EXPECT_NE(events.find("agreement/deep"), std::string::npos);
  EXPECT_EQ(records_of(events).size(), 4U) << "the version, and three numbers";
}

TEST(Metrics, AResumedRunForgetsTheLinesItWillWriteAgain) {
  const TemporaryDirectory dir;
  {
    Metrics metrics(dir.path(), 0);
    for (int i = 1; i <= 5; ++i) metrics.write({{"iteration", i}});
  }
  append_file(dir / "metrics.jsonl", R"({"iteration": 6, "lo)");  // cut short by a crash
  const Metrics resumed(dir.path(), 3);
  std::istringstream lines(read_file(dir / "metrics.jsonl"));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(nlohmann::json::parse(line)["iteration"], count + 1);
  }
  EXPECT_EQ(count, 3);
}

}  // namespace
}  // namespace quarto
