#include "base/checksum.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

TEST(Crc32c, GivesThePublishedCheckValue) { EXPECT_EQ(crc32c("123456789"), 0xE3069283U); }

TEST(Crc32c, MayBeTakenInParts) {
  EXPECT_EQ(crc32c("6789", crc32c("12345")), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

}  // namespace
}  // namespace quarto
