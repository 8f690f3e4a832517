#include "base/progress.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

TEST(Format, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(format_duration(3.2), "3 s");
  EXPECT_EQ(format_duration(245), "4 min 05 s");
  EXPECT_EQ(format_duration(7860), "2 h 11 min");
}

TEST(Format, CountsAreShort) {
  EXPECT_EQ(format_count(950), "950");
  EXPECT_EQ(format_count(12345), "12.3k");
  EXPECT_EQ(format_count(4560000), "4.56M");
  EXPECT_EQ(format_count(0.25), "0.2");
}

TEST(Format, RatesHaveTheUnitInWhichTheyCanBeRead) {
  EXPECT_EQ(format_rate(172.4), "172.4/s");
  EXPECT_EQ(format_rate(0.5), "0.5/s");
  EXPECT_EQ(format_rate(0.02), "1.2/min");
  EXPECT_EQ(format_rate(0.001), "3.6/h");
  EXPECT_EQ(format_rate(0), "");
}

TEST(Format, OneThingIsSingular) {
  EXPECT_EQ(counted(0, "game"), "0 games");
  EXPECT_EQ(counted(1, "game"), "1 game");
  EXPECT_EQ(counted(2, "game"), "2 games");
}

}  // namespace
}  // namespace quarto
