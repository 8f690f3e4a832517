#include "base/utf8.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

TEST(Utf8, EveryBoundaryOfItsTableIsKept) {
  for (const char* good : {"", "a\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
                           "runs/n\xC3\xA4"
                           "chte"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
    EXPECT_EQ(as_utf8(good), good);
  }
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "a\xF0\x9F\x98"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
    EXPECT_TRUE(is_utf8(as_utf8(bad))) << bad;
  }
}

TEST(Utf8, OnlyWhatIsNoCharacterIsReplaced) {
  EXPECT_EQ(as_utf8("a\xFF\xFE/\xC3\xA4"), "a\xEF\xBF\xBD\xEF\xBF\xBD/\xC3\xA4");
  EXPECT_EQ(as_utf8("\xC3"
                    "b"),
            "\xEF\xBF\xBD"
            "b");
}

}  // namespace
}  // namespace quarto
