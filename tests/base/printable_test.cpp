#include "base/printable.h"

#include <gtest/gtest.h>

namespace quarto {
namespace {

TEST(Printable, MessagesKeepLinesAndLettersAndLoseCommandsForTerminals) {
  EXPECT_EQ(without_control_characters("a.yaml:1: \t'n\xC3\xA4\x63hte'\n"), "a.yaml:1: \t'n\xC3\xA4\x63hte'\n");
  EXPECT_EQ(without_control_characters("\x1B]0;title\x07\r\x7F"), "?]0;title???");
  EXPECT_EQ(without_control_characters("\xC2\x9B"
                                       "2J\xC2\xA0"),
            "??2J\xC2\xA0");
  EXPECT_EQ(without_control_characters("\xC2"), "\xC2");
}

}  // namespace
}  // namespace quarto
